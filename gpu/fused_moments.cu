#include <algorithm>
#include <string>

#include "gpu/cuda_error.hpp"
#include "gpu/device_tables.hpp"
#include "gpu/fused_moments.hpp"
#include "gpu/kernel_choice.cuh"
#include "gpu/rotary_kernel.cuh"
#include "sim/errors.hpp"

namespace tapalab::gpu {
namespace {

// Units in flight at once, on one of two streams: while the host takes the results of one, the
// device works on the other.
constexpr std::size_t kUnitsTogether = 4096;
// A launch should have this many units for each block that the device holds.
constexpr std::uint64_t kUnitsPerBlock = 8;

KernelChoice phase_kernel(const FusedRequest& request, bool single, bool means) {
  const std::uint32_t dim = request.plan.head_dim;
  if (request.plan.kind == FusedKind::conditional) {
    return {phase_moments<ConditionalPhase, 4>,
            feature_bytes<ConditionalPhase>() + dim / 4 * std::size_t{sizeof(uint4)}};
  }
  if (!single) {
    return {phase_moments<DoublePhase, 2>,
            feature_bytes<DoublePhase>() + dim * std::size_t{sizeof(uint4)}};
  }
  using Fast = SinglePhase<FastNormals, false>;
  using FastMeans = SinglePhase<FastNormals, true>;
  using Exact = SinglePhase<ExactNormals, true>;
  const std::size_t bytes = feature_bytes<Fast>() + dim / 2 * std::size_t{sizeof(uint4)};
  if (request.normals == Normals::exact) return {phase_moments<Exact, 4>, bytes};
  if (means) return {phase_moments<FastMeans, 4>, bytes};
  return {phase_moments<Fast, 4>, bytes};
}

KernelChoice rotary_kernel(const FusedRequest& request) {
  const std::size_t bytes =
      kRotaryDistances * kScoreRow * sizeof(float) +
      request.plan.head_dim / 2 * (sizeof(uint4) + kRotaryDistances * sizeof(SinCos<float>));
  const bool adjacent = request.plan.kind == FusedKind::adjacent;
  return {adjacent ? rotary_moments<FastRotary<FastNormals, true>>
                   : rotary_moments<FastRotary<FastNormals, false>>,
          bytes};
}

bool is_rotary(const FusedRequest& request) {
  if (request.drawn) return std::holds_alternative<RotaryTables>(request.drawn->tables);
  return request.plan.kind == FusedKind::adjacent || request.plan.kind == FusedKind::halves;
}

// Tables of any score and density, which all passes read.
struct DrawnTables {
  explicit DrawnTables(const DrawnPlan& plan) : draw(plan.draw) {
    if (const auto* of_phase = std::get_if<PhaseTables>(&plan.tables)) {
      phase = std::make_unique<DevicePhaseTables>(*of_phase);
    } else {
      rotary = std::make_unique<DeviceRotaryTables>(std::get<RotaryTables>(plan.tables));
    }
  }
  DeviceDrawTables draw;
  std::unique_ptr<DevicePhaseTables> phase;
  std::unique_ptr<DeviceRotaryTables> rotary;
};

template <class T>
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t size) {
    check(cudaMallocHost(&data_, size * sizeof(T)), "allocating pinned memory");
  }
  ~PinnedBuffer() { cudaFreeHost(data_); }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

// Distances that one launch serves.
struct Pass {
  Pass(const FusedRequest& request, const DrawnTables* drawn, std::vector<std::size_t> which,
       bool single)
      : places(std::move(which)),
        constants(places.size()),
        angles(request.drawn ? 0 : angle_count(request)),
        drawn_angles(drawn != nullptr && drawn->rotary
                         ? drawn->rotary->pairs.size() * kRotaryDistances
                         : 0) {
    arguments.distances = static_cast<std::uint32_t>(places.size());
    const KernelChoice choice =
        drawn != nullptr ? plan_drawn(*request.drawn, *drawn, single) : plan_fused(request, single);
    kernel = choice.kernel;
    shared_bytes = choice.shared_bytes;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)),
          "asking for shared memory");
    int blocks = 0, device = 0, processors = 0;
    check(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kFusedThreads, shared_bytes),
        "asking for the occupancy of the moments kernel");
    check(cudaGetDevice(&device), "asking for the device");
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
          "asking for the number of multiprocessors");
    grid = static_cast<unsigned>(std::max(1, blocks) * processors);
    if (choice.scratch) {
      scratch_size = std::size_t{grid} * kFusedThreads * 2 * arguments.drawn.draw.head_dim;
    }
    upload_distances(request);
  }

  KernelChoice plan_fused(const FusedRequest& request, bool single) {
    const FusedPlan& plan = request.plan;
    const bool rotary = is_rotary(request);
    const auto phase_dim = plan.head_dim - plan.amplitude_dim;
    arguments.keys = round_keys(plan.key);
    arguments.key = plan.key;
    arguments.head_dim = plan.head_dim;
    arguments.amplitude_dim = plan.amplitude_dim;
    arguments.linear = plan.kind == FusedKind::linear;
    arguments.amplitude = product_form(plan.amplitude, plan.amplitude_dim);
    arguments.phase =
        arguments.linear ? sum_form(plan.phase, phase_dim) : product_form(plan.phase, phase_dim);
    arguments.amplitude_law = plan.amplitude;
    arguments.phase_law = plan.phase;
    arguments.scale = plan.scale;
    if (rotary) upload_angles(plan);
    const auto linear_terms = [](const NormalForm& form) { return form.c1 != 0 || form.c2 != 0; };
    return rotary
               ? rotary_kernel(request)
               : phase_kernel(request, single,
                              linear_terms(arguments.amplitude) || linear_terms(arguments.phase));
  }

  KernelChoice plan_drawn(const DrawnPlan& plan, const DrawnTables& tables, bool single) {
    DrawnArguments& drawn = arguments.drawn;
    drawn.draw = tables.draw.view;
    drawn.single = single;
    drawn.distance = plan.distances[places.front()];
    if (tables.phase) drawn.phase = tables.phase->view;
    if (tables.rotary) {
      drawn.rotary = tables.rotary->view;
      const auto& all = std::get<RotaryTables>(plan.tables);
      const std::size_t pairs = all.pairs.size();
      std::vector<SinCos<double>> table(pairs * kRotaryDistances);
      for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t d = 0; d < pairs; ++d) {
          table[d * kRotaryDistances + i] = all.angles[places[i] * pairs + d];
        }
      }
      drawn_angles.upload(table.data(), table.size());
      drawn.angles = drawn_angles.data();
    }
    return drawn_kernel(plan);
  }

  void upload_distances(const FusedRequest& request) {
    const auto* tables = request.drawn ? std::get_if<PhaseTables>(&request.drawn->tables) : nullptr;
    const auto& scales = tables != nullptr ? tables->scales : request.plan.scales;
    const FusedPlan& plan = request.plan;
    std::vector<FusedDistance> distances;
    for (const std::size_t i : places) {
      distances.push_back({scales.empty() ? TwoTerm<double>{} : scales[i], request.centres[i],
                           plan.forms.empty() ? ConditionalForm{} : plan.forms[i]});
    }
    constants.upload(distances.data(), distances.size());
    arguments.distance = constants.data();
  }

  void upload_angles(const FusedPlan& plan) {
    const std::size_t pairs = plan.head_dim / 2;
    std::vector<SinCos<float>> table(pairs * kRotaryDistances);
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t d = 0; d < pairs; ++d) {
        const SinCos<double> angle = plan.angles[places[i] * pairs + d];
        table[d * kRotaryDistances + i] = {static_cast<float>(angle.sin),
                                           static_cast<float>(angle.cos)};
      }
    }
    angles.upload(table.data(), table.size());
    arguments.angles = angles.data();
  }

  static std::size_t angle_count(const FusedRequest& request) {
    return request.plan.angles.empty() ? 0 : request.plan.head_dim / 2 * kRotaryDistances;
  }

  std::vector<std::size_t> places;
  DeviceBuffer<FusedDistance> constants;
  DeviceBuffer<SinCos<float>> angles;
  DeviceBuffer<SinCos<double>> drawn_angles;
  FusedArguments arguments{};
  FusedKernel kernel = nullptr;
  std::size_t shared_bytes = 0, scratch_size = 0;
  unsigned grid = 1;
};

std::size_t largest_scratch(const std::vector<std::unique_ptr<Pass>>& passes) {
  std::size_t most = 0;
  for (const auto& pass : passes) most = std::max(most, pass->scratch_size);
  return most;
}

// The units of one stream and what they gave.
struct Lane {
  struct PassRoom {
    PassRoom(const Pass& pass)
        : pending(std::size_t{pass.grid} * kMostUnitLevel * pass.places.size()),
          results(kUnitsTogether * pass.places.size()),
          host(kUnitsTogether * pass.places.size()),
          next_unit(1) {}
    DeviceBuffer<ScoreMoments> pending, results;
    PinnedBuffer<ScoreMoments> host;
    DeviceBuffer<std::uint32_t> next_unit;
  };

  explicit Lane(const std::vector<std::unique_ptr<Pass>>& passes)
      : units(kUnitsTogether), scratch(largest_scratch(passes)), host_units(kUnitsTogether) {
    for (const auto& pass : passes) rooms.push_back(std::make_unique<PassRoom>(*pass));
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  }
  ~Lane() { cudaStreamDestroy(stream); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  DeviceBuffer<FusedUnit> units;
  DeviceBuffer<double> scratch;  // passes of a lane run one after another
  PinnedBuffer<FusedUnit> host_units;
  std::size_t count = 0;  // in flight
  std::vector<std::unique_ptr<PassRoom>> rooms;
  cudaStream_t stream = nullptr;
};

std::size_t device_bytes(const std::vector<std::unique_ptr<Pass>>& passes) {
  std::size_t bytes = 0;
  for (const auto& pass : passes) {
    bytes += 2 * (std::size_t{pass->grid} * kMostUnitLevel + kUnitsTogether) * pass->places.size() *
             sizeof(ScoreMoments);
  }
  return bytes +
         2 * (kUnitsTogether * sizeof(FusedUnit) + largest_scratch(passes) * sizeof(double));
}

// Aligned runs of at most 2^level leaves that cover first .. last-1.
void cover(std::uint64_t first, std::uint64_t last, unsigned level, std::vector<FusedUnit>& units) {
  while (first < last) {
    unsigned size = level;
    while (size > 0 &&
           ((first & ((std::uint64_t{1} << size) - 1)) != 0 || (last - first) >> size == 0)) {
      --size;
    }
    units.push_back({first, size});
    first += std::uint64_t{1} << size;
  }
}

}  // namespace

struct FusedMoments::Work {
  explicit Work(FusedRequest asked) : request(std::move(asked)) {
    if (request.drawn) drawn = std::make_unique<DrawnTables>(*request.drawn);
    const bool rotary = is_rotary(request);
    const bool alone = request.drawn && request.drawn->draw.per_distance();
    const std::size_t most = alone ? 1 : rotary ? kRotaryDistances : kPhaseDistances;
    for (const bool single : {true, false}) {
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < request.centres.size(); ++i) {
        if ((rotary || request.draws_single[i]) == single) places.push_back(i);
      }
      for (std::size_t begin = 0; begin < places.size(); begin += most) {
        const auto from = places.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto size = static_cast<std::ptrdiff_t>(std::min(most, places.size() - begin));
        passes.push_back(std::make_unique<Pass>(
            request, drawn.get(), std::vector<std::size_t>(from, from + size), single));
      }
    }
    std::size_t available = 0, total = 0;
    check(cudaMemGetInfo(&available, &total), "asking for the device's memory");
    const std::size_t needed = device_bytes(passes);
    if (needed > available) {
      throw UnavailableError("backend cuda: the device has " + std::to_string(available >> 20) +
                             " MiB of memory left; these distances need " +
                             std::to_string((needed >> 20) + 1) + " MiB");
    }
    for (int i = 0; i < 2; ++i) lanes.push_back(std::make_unique<Lane>(passes));
  }

  void launch(Lane& lane, const FusedUnit* units, std::size_t count, std::uint64_t end) {
    lane.count = count;
    std::copy_n(units, count, lane.host_units.data());
    check(cudaMemcpyAsync(lane.units.data(), lane.host_units.data(), count * sizeof(FusedUnit),
                          cudaMemcpyHostToDevice, lane.stream),
          "copying units to the device");
    for (std::size_t p = 0; p < passes.size(); ++p) {
      const Pass& pass = *passes[p];
      Lane::PassRoom& room = *lane.rooms[p];
      FusedArguments arguments = pass.arguments;
      arguments.unit_count = static_cast<std::uint32_t>(count);
      arguments.end = end;
      arguments.units = lane.units.data();
      arguments.next_unit = room.next_unit.data();
      arguments.pending = room.pending.data();
      arguments.results = room.results.data();
      arguments.drawn.scratch = lane.scratch.data();
      check(cudaMemsetAsync(room.next_unit.data(), 0, sizeof(std::uint32_t), lane.stream),
            "clearing a counter");
      const auto blocks = static_cast<unsigned>(std::min<std::size_t>(pass.grid, count));
      pass.kernel<<<blocks, kFusedThreads, pass.shared_bytes, lane.stream>>>(arguments);
      check(cudaGetLastError(), "launching the moments kernel");
      check(cudaMemcpyAsync(room.host.data(), room.results.data(),
                            count * pass.places.size() * sizeof(ScoreMoments),
                            cudaMemcpyDeviceToHost, lane.stream),
            "copying moments from the device");
    }
  }

  // Waits for the lane and hands its nodes on.
  void collect(Lane& lane, const TakeNode& take) {
    if (lane.count == 0) return;
    check(cudaStreamSynchronize(lane.stream), "running the moments kernel");
    const std::size_t count = lane.count;
    lane.count = 0;
    for (std::size_t u = 0; u < count; ++u) {
      std::vector<ScoreMoments> moments(request.centres.size());
      for (std::size_t p = 0; p < passes.size(); ++p) {
        const auto& places = passes[p]->places;
        const ScoreMoments* row = lane.rooms[p]->host.data() + u * places.size();
        for (std::size_t i = 0; i < places.size(); ++i) moments[places[i]] = row[i];
      }
      const FusedUnit unit = lane.host_units.data()[u];
      take(unit.level, unit.first_leaf >> unit.level, std::move(moments));
    }
  }

  FusedRequest request;
  std::unique_ptr<DrawnTables> drawn;
  std::vector<std::unique_ptr<Pass>> passes;
  std::vector<std::unique_ptr<Lane>> lanes;
};

FusedMoments::FusedMoments(FusedRequest request)
    : work_(std::make_unique<Work>(std::move(request))) {}
FusedMoments::~FusedMoments() = default;

void FusedMoments::add(std::uint64_t begin, std::uint64_t end, const TakeNode& take,
                       const std::function<void()>& between) const {
  if (begin >= end || work_->passes.empty()) return;
  const std::uint64_t first = begin / kLeafSamples, last = (end - 1) / kLeafSamples + 1;
  const std::uint64_t target = kUnitsPerBlock * work_->passes.front()->grid;
  unsigned level = 0;
  while (level < kMostUnitLevel && (last - first) >> (level + 1) >= target) ++level;
  // Short units last, so that the device's blocks end together.
  const std::uint64_t cut = std::max(first, (last - (last - first) / 8) >> level << level);
  std::vector<FusedUnit> units;
  cover(first, cut, level, units);
  cover(cut, last, level > 3 ? level - 3 : 0, units);
  try {
    std::size_t turn = 0;
    for (std::size_t done = 0; done < units.size(); done += kUnitsTogether, turn ^= 1) {
      Lane& lane = *work_->lanes[turn];
      work_->collect(lane, take);
      if (between) between();
      work_->launch(lane, units.data() + done, std::min(kUnitsTogether, units.size() - done), end);
    }
    for (int i = 0; i < 2; ++i, turn ^= 1) work_->collect(*work_->lanes[turn], take);
  } catch (...) {
    for (const auto& lane : work_->lanes) {
      cudaStreamSynchronize(lane->stream);
      lane->count = 0;
    }
    throw;
  }
}

}  // namespace tapalab::gpu
