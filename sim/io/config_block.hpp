// One object of a model's config.json, read with suspicion.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/numbers/exact_decimal.hpp"

namespace tapalab {

constexpr std::uint64_t kMaxConfigHeadDim = 65536;

/// A value as it stands in the file, fit for a message.
std::string shown_json(const nlohmann::json& value);

/// Throws InputError, naming `path`, for malformed JSON, numbers that no double holds, and a key
/// that stands twice in one object.
nlohmann::json parse_config_json(std::string_view text, const std::string& path);

/// Every access names its path in what it throws (InputError), and what was never asked for can be
/// listed. Keys whose value is null count as absent. The object must outlive the block.
class ConfigBlock {
 public:
  ConfigBlock(std::string file, std::string path, const nlohmann::json& object)
      : file_(std::move(file)), path_(std::move(path)), object_(&object) {}

  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;

  const nlohmann::json* find(const std::string& key);
  /// As the shortest decimal that reads as the file's double, to 17 digits.
  std::optional<ExactDecimal> number(const std::string& key, bool positive = true);
  ExactDecimal required_number(const std::string& key);
  /// An integer from 1 to `largest`; 4096.0 is one.
  std::optional<std::uint64_t> count(const std::string& key, std::uint64_t largest);
  std::optional<bool> boolean(const std::string& key);
  std::optional<std::string> text(const std::string& key);
  /// Numbers > 0, at most one for each pair of the largest head dimension.
  std::vector<ExactDecimal> list(const std::string& key);

  /// The keys that nothing asked for.
  std::vector<std::string> unused() const;
  std::string path_of(const std::string& key) const;

 private:
  ExactDecimal decimal(const std::string& key, const nlohmann::json& value, bool positive) const;

  std::string file_, path_;
  const nlohmann::json* object_;
  std::set<std::string> known_;
};

}  // namespace tapalab
