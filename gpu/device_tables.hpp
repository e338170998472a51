// Tables of scores and of densities in device memory, with the views that kernels take.
#pragma once

#include "gpu/device_buffer.hpp"
#include "sim/draw_tables.hpp"
#include "sim/pair_scores.hpp"

namespace tapalab::gpu {

struct DevicePhaseTables {
  explicit DevicePhaseTables(const PhaseTables& t)
      : amplitude(t.amplitude),
        phase(t.phase),
        linear(t.phase_linear),
        scales(t.scales),
        view{t.head_dim,   t.amplitude_scale, amplitude.data(), amplitude.size(), phase.data(),
             phase.size(), linear.data(),     linear.size(),    scales.data()} {}

  DeviceBuffer<FlatBilinearTerm> amplitude, phase;
  DeviceBuffer<FlatLinearTerm> linear;
  DeviceBuffer<TwoTerm<double>> scales;
  PhaseView view;
};

struct DeviceRotaryTables {
  explicit DeviceRotaryTables(const RotaryTables& t)
      : pairs(t.pairs), plain(t.plain), angles(t.angles), view{t.scale,      pairs.data(),
                                                               pairs.size(), plain.data(),
                                                               plain.size(), angles.data()} {}

  DeviceBuffer<FlatRotaryPair> pairs;
  DeviceBuffer<std::uint32_t> plain;
  DeviceBuffer<SinCos<double>> angles;
  RotaryView view;
};

struct DeviceDrawTables {
  explicit DeviceDrawTables(const DrawTables& t)
      : root_mean(t.root_mean),
        begin(t.begin),
        entries(t.entries),
        below(t.below),
        mean(t.mean),
        scale(t.scale),
        queries(t.queries ? *t.queries : std::vector<double>{}),
        keys(t.keys ? *t.keys : std::vector<double>{}),
        partner(t.partner),
        view(tapalab::view(t)) {
    view.root_mean = root_mean.data();
    if (t.has_root()) view.begin = begin.data();
    view.entries = entries.data();
    view.below = below.data();
    view.mean = mean.data();
    view.scale = scale.data();
    view.queries = queries.data();
    view.keys = keys.data();
    view.partner = partner.data();
  }

  DeviceBuffer<double> root_mean;
  DeviceBuffer<std::uint32_t> begin;
  DeviceBuffer<RootEntry> entries;
  DeviceBuffer<std::uint64_t> below;
  DeviceBuffer<double> mean, scale, queries, keys;
  DeviceBuffer<std::uint32_t> partner;
  DrawView view;
};

}  // namespace tapalab::gpu
