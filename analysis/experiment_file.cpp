#include "analysis/experiment_file.hpp"

#include <filesystem>

#include "sim/errors.hpp"
#include "sim/io/bounded_text.hpp"

namespace tapalab {
namespace {

// A million curve points are far below this; a wrong file (weights) is far above.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

}  // namespace

ExperimentSpec read_experiment_file(const std::string& path) {
  const std::string text = read_bounded_text(path, kMostBytes, "--spec");
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos)
    throw InputError(path + ": empty; accepted: a TOML file or a result's JSON");
  if (text[first] == '{') return read_experiment_json(text, path);
  // A pipe such as /dev/stdin lies nowhere.
  std::error_code error;
  const bool lies_somewhere = std::filesystem::is_regular_file(path, error);
  return read_experiment_toml(
      text, path, lies_somewhere ? std::filesystem::path(path).parent_path().string() : "");
}

}  // namespace tapalab
