#include "analysis/experiment_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/errors.hpp"

namespace tapalab {
namespace {

// A million curve points are far below this; a wrong file (weights) is far above.
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;

std::string read_text(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(
        fmt::format("{}: is a directory; accepted: a TOML file or a result's JSON", path));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > kMostBytes) {
    throw InputError(
        fmt::format("{}: holds {} bytes; accepted: at most {}", path, size, kMostBytes));
  }
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) throw InputError(fmt::format("{}: reading failed", path));
  return text;
}

}  // namespace

ExperimentSpec read_experiment_file(const std::string& path) {
  const std::string text = read_text(path);
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
