#include "fuzz/targets.hpp"

#include "analysis/experiment_file.hpp"
#include "analysis/inspect_file.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/refusal.hpp"
#include "sim/io/npy.hpp"
#include "sim/io/safetensors.hpp"
#include "sim/io/token_reader.hpp"
#include "sim/score_model.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::fuzz {
namespace {

void run_npy(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  may_refuse([&] { read_npy_matrix(file.path(), "M"); });
  may_refuse([&] { read_tokens("", file.path(), file.path(), 0, 0); });
  may_refuse([&] { read_tokens("", file.path(), file.path(), 1, 1); });
  may_refuse([&] { inspect_file(file.path()); });
}

void run_safetensors(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  may_refuse([&] { read_tokens(file.path(), "q", "k", 0, 0); });
  may_refuse([&] { inspect_file(file.path()); });
  may_refuse([&] {
    BinaryFile input(file.path());
    for (const auto& tensor : read_safetensors_index(input).tensors) {
      may_refuse([&] { read_row_major(input, tensor); });
    }
  });
}

// An experiment that was read must be one that can be completed or is refused by name; nothing is
// computed.
void plan(ExperimentSpec spec) {
  spec.sweep.reset();  // up to 10000 curves, which cost more than they show
  plan_curves(completed(std::move(spec)), 1);
}

void run_experiment(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  may_refuse([&] { plan(read_experiment_toml(text, "fuzz.toml", "")); });
  may_refuse([&] { plan(read_experiment_json(text, "fuzz.json")); });
  const MemoryFile file(data, size);
  may_refuse([&] { read_experiment_file(file.path()); });
}

// What is read and written again must be read as the same.
void check_round_trip(const std::string& text) {
  const SpecText spec = parse_spec_text(text, "text");
  const SpecText again = parse_spec_text(write_spec_text(spec), "text");
  if (again.name != spec.name || again.entries != spec.entries) {
    throw Fault("written and read again it differs: " + printable(text));
  }
}

void run_spec(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  may_refuse([&] { check_round_trip(text); });
  may_refuse([&] { lower(parse_encoding(text), 8); });
  may_refuse([&] { parse_density(text); });
  may_refuse([&] { parse_distances(text); });
  may_refuse([&] { parse_sweep(text, "--sweep"); });
  may_refuse([&] { parse_count(text, "--samples", 2, 1000); });
  may_refuse([&] { parse_confidence(text, "--confidence"); });
  may_refuse([&] { parse_tolerance(text, "--rel-tol"); });
  may_refuse([&] { parse_engine(text, "--engine"); });
  if (escaped(text).find('\x1b') != std::string::npos) throw Fault("an escape that is not escaped");
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> table{{"npy", run_npy},
                                         {"safetensors", run_safetensors},
                                         {"config", run_config},
                                         {"experiment", run_experiment},
                                         {"spec", run_spec}};
  return table;
}

}  // namespace tapalab::fuzz
