#include "sim/io/config_block.hpp"

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/io/bounded_text.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {

using nlohmann::json;

std::string shown_json(const json& value) {
  return printable(value.dump(-1, ' ', true, json::error_handler_t::replace));
}

void ConfigBlock::refuse(const std::string& key, const std::string& what) const {
  throw InputError(fmt::format("{}: {}: {}", printable(file_), printable(path_of(key)), what));
}

const json* ConfigBlock::find(const std::string& key) {
  known_.insert(key);
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

std::optional<ExactDecimal> ConfigBlock::number(const std::string& key, bool positive) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return decimal(key, *value, positive);
}

ExactDecimal ConfigBlock::required_number(const std::string& key) {
  const auto value = number(key);
  if (!value) refuse(key, "is missing; accepted: a number > 0");
  return *value;
}

std::optional<std::uint64_t> ConfigBlock::count(const std::string& key, std::uint64_t largest) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  // Some files hold 4096.0.
  const bool whole =
      value->is_number_unsigned() ||
      (value->is_number_float() && value->get<double>() >= 1 && value->get<double>() < 9e15 &&
       value->get<double>() == static_cast<double>(value->get<std::uint64_t>()));
  if (!whole || value->get<std::uint64_t>() < 1 || value->get<std::uint64_t>() > largest)
    refuse(key,
           fmt::format("is {}; accepted: an integer from 1 to {}", shown_json(*value), largest));
  return value->get<std::uint64_t>();
}

std::optional<bool> ConfigBlock::boolean(const std::string& key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean())
    refuse(key, fmt::format("is {}; accepted: true or false", shown_json(*value)));
  return value->get<bool>();
}

std::optional<std::string> ConfigBlock::text(const std::string& key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string())
    refuse(key, fmt::format("is {}; accepted: a string", shown_json(*value)));
  return value->get<std::string>();
}

std::vector<ExactDecimal> ConfigBlock::list(const std::string& key) {
  const json* value = find(key);
  if (value == nullptr || !value->is_array())
    refuse(key, "accepted: a list of numbers > 0, one for each rotated pair");
  if (value->size() > kMaxConfigHeadDim / 2)
    refuse(key, fmt::format("has {} entries; accepted: at most {}", value->size(),
                            kMaxConfigHeadDim / 2));
  std::vector<ExactDecimal> entries;
  for (const auto& entry : *value) entries.push_back(decimal(key, entry, true));
  return entries;
}

std::vector<std::string> ConfigBlock::unused() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object_->items()) {
    if (known_.count(key) == 0) keys.push_back(key);
  }
  return keys;
}

std::string ConfigBlock::path_of(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

ExactDecimal ConfigBlock::decimal(const std::string& key, const json& value, bool positive) const {
  if (!value.is_number())
    refuse(key,
           fmt::format("is {}; accepted: a number{}", shown_json(value), positive ? " > 0" : ""));
  // The shortest decimal that reads as this double is what the file says, to 17 digits.
  const ExactDecimal number = value.is_number_float()
                                  ? ExactDecimal::parse(fmt::format("{}", value.get<double>()), key)
                                  : ExactDecimal::parse(value.dump(), key);
  if (positive && number.compare(0) <= 0)
    refuse(key, fmt::format("is {}; accepted: a number > 0", shown_json(value)));
  return number;
}

json parse_config_json(std::string_view text, const std::string& path) {
  check_json_text(text, printable(path));
  std::vector<std::set<std::string>> seen;
  const auto watch = [&](int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) seen.emplace_back();
    if (event == json::parse_event_t::object_end) seen.pop_back();
    if (event == json::parse_event_t::key && !seen.back().insert(value.get<std::string>()).second)
      throw InputError(fmt::format("{}: the key {} stands twice in one object; accepted: once",
                                   printable(path), printable(value.get<std::string>())));
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), watch);
  } catch (const json::parse_error& error) {
    throw InputError(
        fmt::format("{}: malformed JSON at byte offset {}; accepted: a model's "
                    "config.json",
                    printable(path), error.byte > 0 ? error.byte - 1 : 0));
  } catch (const json::exception&) {
    throw InputError(
        fmt::format("{}: a number is out of range; accepted: numbers that a double "
                    "holds",
                    printable(path)));
  }
}

}  // namespace tapalab
