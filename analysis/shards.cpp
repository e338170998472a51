#include "analysis/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "analysis/checkpoint.hpp"
#include "analysis/experiment_file.hpp"
#include "analysis/writers/json.hpp"
#include "sim/block_kernels.hpp"
#include "sim/errors.hpp"
#include "sim/io/bounded_text.hpp"
#include "sim/sampling_bytes.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "tapalab/shard/1";

Json point_json(const ScoreMoments& point) {
  const Moments& m = point.score;
  const CompanionMoments &s = point.sine, &e = point.excess;
  return Json::array(
      {m.count, m.mean, m.m2, m.m3, m.m4, s.mean, s.m2, s.cross, e.mean, e.m2, e.cross});
}

ScoreMoments point_from(const Json& json) {
  if (!json.is_array() || json.size() != 11) throw std::invalid_argument("a point has 11 numbers");
  const auto number = [&](std::size_t i) { return json.at(i).get<double>(); };
  return {{json.at(0).get<std::uint64_t>(), number(1), number(2), number(3), number(4)},
          {number(5), number(6), number(7)},
          {number(8), number(9), number(10)}};
}

std::string checksum_text(const SamplingState& state) {
  return fmt::format("{:016x}", checksum(to_bytes(state)));
}

Json samples_json(const SampleRange& range) {
  Json nodes = Json::array();
  for (const auto& node : range.state.nodes()) {
    Json points = Json::array();
    for (const auto& point : node.value.points) points.push_back(point_json(point));
    nodes.push_back({{"level", node.level}, {"index", node.index}, {"points", std::move(points)}});
  }
  return {{"begin", range.begin},
          {"end", range.end},
          {"checksum", checksum_text(range.state)},
          {"nodes", std::move(nodes)}};
}

// Blocks begin .. end-1 and no others.
bool covers(const SamplingState& state, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t next = begin;
  for (const auto& node : state.nodes()) {
    if (node.index << node.level != next) return false;
    next += std::uint64_t{1} << node.level;
  }
  return next == end;
}

SampleRange range_from(const Json& json) {
  SampleRange range;
  range.begin = json.at("begin").get<std::uint64_t>();
  range.end = json.at("end").get<std::uint64_t>();
  range.done = range.end - range.begin;
  for (const Json& node : json.at("nodes")) {
    CurveMoments moments;
    for (const Json& point : node.at("points")) moments.points.push_back(point_from(point));
    const auto level = node.at("level").get<unsigned>();
    const auto index = node.at("index").get<std::uint64_t>();
    if (level >= 54 || index >> (54 - level) != 0) throw std::invalid_argument("a node's place");
    range.state.insert(level, index, std::move(moments));
  }
  const auto blocks = [](std::uint64_t samples) {
    return samples / kBlockSamples + (samples % kBlockSamples != 0);
  };
  if (range.end < range.begin || range.begin % kBlockSamples != 0 ||
      !covers(range.state, range.begin / kBlockSamples, blocks(range.end)) ||
      checksum_text(range.state) != json.at("checksum").get<std::string>()) {
    throw std::invalid_argument("its samples are not those that it names");
  }
  return range;
}

// One file, read.
struct Part {
  std::string name;
  Json document;
  std::vector<SampleRange> ranges;  // by curve
};

Part read_part(const ShardText& shard) {
  const std::string name = fmt::format("merge: {}", printable(shard.name));
  check_json_text(shard.text, name);
  Part part{printable(shard.name), Json::parse(shard.text, nullptr, false), {}};
  const Json& document = part.document;
  if (!document.is_object() || document.value("schema", Json()) != kSchema) {
    throw InputError(
        fmt::format("{} is not a shard; accepted: files that --shard wrote ({})", name, kSchema));
  }
  try {
    for (const Json& curve : document.at("curves")) {
      const Json& samples = curve.at("samples_drawn");
      part.ranges.push_back(samples.is_null() ? SampleRange{} : range_from(samples));
    }
    static_cast<void>(document.at("identity"));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{} is damaged: {}", name, error.what()));
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{} is damaged: {}", name, error.what()));
  }
  return part;
}

void require_same(const Json& first, const std::string& first_name, const Json& second,
                  const std::string& second_name) {
  const std::string difference = first_difference(first, second);
  if (difference.empty()) return;
  throw InputError(
      fmt::format("merge: {} and {} are not of one experiment: {}; accepted: shards of one "
                  "experiment",
                  first_name, second_name, difference));
}

// All samples of one curve, from every part.
SamplingState joined(const std::vector<Part>& parts, std::size_t curve, std::uint64_t samples) {
  std::vector<const Part*> order;
  for (const Part& part : parts) {
    if (part.ranges[curve].begin < part.ranges[curve].end) order.push_back(&part);
  }
  std::sort(order.begin(), order.end(), [&](const Part* a, const Part* b) {
    return a->ranges[curve].begin < b->ranges[curve].begin;
  });
  SamplingState state;
  std::uint64_t next = 0;
  const Part* before = nullptr;
  const auto refuse_gap = [&](std::uint64_t end) {
    throw InputError(
        fmt::format("merge: samples {} to {} are in none of the {} files; accepted: every shard "
                    "once",
                    next, end - 1, parts.size()));
  };
  for (const Part* part : order) {
    const SampleRange& range = part->ranges[curve];
    if (range.begin > next) refuse_gap(range.begin);
    if (range.begin < next) {
      throw InputError(
          fmt::format("merge: samples {} to {} are in both {} and {}; accepted: every "
                      "shard once",
                      range.begin, std::min(next, range.end) - 1, before->name, part->name));
    }
    state.insert(range.state);
    next = range.end;
    before = part;
  }
  if (next < samples) refuse_gap(samples);
  return state;
}

// The experiment as --spec reads it from a result.
ExperimentSpec experiment_of(const Part& part) {
  Json result = part.document;
  result["schema"] = "tapalab/curve/1";
  return completed(read_experiment_json(result.dump(), fmt::format("merge: {}", part.name)));
}

}  // namespace

Json shard_json(const ExperimentSpec& completed, const std::vector<CurveTask>& tasks, Shard shard,
                const std::vector<SampleRange>& ranges, const Json& provenance) {
  Json curves = Json::array();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const CurveTask task = resolved(tasks[i]);
    const Engine engine = task.engine;
    Json points = Json::array();
    for (const std::uint64_t distance : task.distances.distances) {
      points.push_back({{"distance", distance}, {"engine", to_string(engine)}});
    }
    const bool sampled = draws_samples(task);
    curves.push_back({{"encoding", encoding_json(task.encoding)},
                      {"density", density_json(task.density)},
                      {"head_dim", task.head_dim},
                      {"seed", task.sampling.seed},
                      {"samples", task.sampling.samples},
                      {"points", std::move(points)},
                      {"samples_drawn", sampled ? samples_json(ranges[i]) : Json(nullptr)}});
  }
  Json identity = sampling_identity(tasks, shard);
  identity.erase("shard");
  return {{"schema", kSchema},
          {"provenance", provenance},
          {"experiment", experiment_json(completed)},
          {"shard", {{"index", shard.index}, {"count", shard.count}}},
          {"identity", std::move(identity)},
          {"curves", std::move(curves)}};
}

MergedShards merge_shards(const std::vector<ShardText>& shards, unsigned threads) {
  if (shards.empty()) throw InputError("merge: no files; accepted: the files of every shard");
  std::vector<Part> parts;
  for (const ShardText& shard : shards) parts.push_back(read_part(shard));
  for (const Part& part : parts) {
    require_same(parts[0].document.at("identity"), parts[0].name, part.document.at("identity"),
                 part.name);
  }
  MergedShards merged;
  merged.experiment = experiment_of(parts[0]);
  std::vector<CurveTask> tasks = plan_curves(merged.experiment, threads);
  Json identity = sampling_identity(tasks, {});
  identity.erase("shard");
  require_same(parts[0].document.at("identity"), parts[0].name, identity, "what it specifies");
  for (const Part& part : parts) {
    if (part.ranges.size() != tasks.size()) {
      throw InputError(
          fmt::format("merge: {} is damaged: it has {} curves where its experiment has "
                      "{}",
                      part.name, part.ranges.size(), tasks.size()));
    }
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    CurveTask task = resolved(tasks[i]);
    if (draws_samples(task)) {
      task.draw = [&parts, i](const CurveTask& drawn) {
        SampleRange samples;
        samples.end = samples.done = drawn.sampling.samples;
        samples.state = joined(parts, i, samples.end);
        return samples;
      };
    }
    merged.curves.push_back(compute_curve(task));
  }
  return merged;
}

}  // namespace tapalab
