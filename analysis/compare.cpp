#include "analysis/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "analysis/compare_read.hpp"
#include "analysis/intervals.hpp"
#include "analysis/writers/table.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

constexpr std::array kComparable = {"tapalab/curve/1", "tapalab/histogram/1", "tapalab/retrieve/1",
                                    "tapalab/fit/1", "tapalab/verify/1"};

/// How far the truth may lie from the estimate towards the other: a bound, or a standard error.
struct Reach {
  Wide bound{0};
  Wide sigma{0};
};

Reach reach(const ReadQuantity& from, const Wide& towards) {
  const Wide &estimate = from.estimate.wide(), &lower = from.lower.wide(),
             &upper = from.upper.wide();
  if (from.level) return {0, standard_error_towards(towards, estimate, lower, upper, *from.level)};
  const Wide half = towards >= estimate ? Wide(upper - estimate) : Wide(estimate - lower);
  return {half < 0 ? Wide(0) : half, 0};
}

ComparedQuantity compared(const ReadQuantity& a, const ReadQuantity& b, double limit) {
  ComparedQuantity row{a.series, a.quantity, a.at, a.text, b.text, 0, false};
  if (a.verdict || b.verdict) {
    row.differs = a.text != b.text;
    return row;
  }
  const Wide x = a.estimate.wide(), y = b.estimate.wide();
  const Reach of_a = reach(a, y), of_b = reach(b, x);
  const Wide beyond = abs(Wide(x - y)) - of_a.bound - of_b.bound;
  if (beyond <= 0) return row;
  const Wide sigma = sqrt(Wide(of_a.sigma * of_a.sigma + of_b.sigma * of_b.sigma));
  row.z = sigma > 0 ? static_cast<double>(Wide(beyond / sigma))
                    : std::numeric_limits<double>::infinity();
  row.differs = !(row.z <= limit);
  return row;
}

std::string comparable() {
  std::string text;
  for (const char* schema : kComparable) text += (text.empty() ? "" : ", ") + std::string(schema);
  return text;
}

void require_comparable(const ReadResult& result, const std::string& name) {
  if (std::find(kComparable.begin(), kComparable.end(), result.schema) != kComparable.end()) return;
  throw InputError(fmt::format("{}: a result of {} has nothing to compare; accepted: {}",
                               printable(name), printable(result.schema), comparable()));
}

std::string first_series(const ReadResult& result) {
  if (result.quantities.empty()) return "nothing";
  const ReadQuantity& first = result.quantities.front();
  return printable(first.series + (first.at.empty() ? "" : " at " + first.at));
}

using Key = std::array<std::string, 3>;

// A key that stands twice in a file counts its appearances.
std::map<Key, std::vector<const ReadQuantity*>> by_key(const ReadResult& result) {
  std::map<Key, std::vector<const ReadQuantity*>> found;
  for (const ReadQuantity& item : result.quantities)
    found[{item.identity, item.quantity, item.at}].push_back(&item);
  return found;
}

}  // namespace

std::size_t Comparison::differing() const {
  return static_cast<std::size_t>(
      std::count_if(quantities.begin(), quantities.end(),
                    [](const ComparedQuantity& quantity) { return quantity.differs; }));
}

Comparison compare_results(const ResultText& a, const ResultText& b, double limit) {
  const ReadResult first = read_result(a.text, a.name), second = read_result(b.text, b.name);
  require_comparable(first, a.name);
  require_comparable(second, b.name);
  if (first.schema != second.schema)
    throw InputError(fmt::format("{} is a result of {} and {} of {}; accepted: two of one kind",
                                 printable(a.name), first.schema, printable(b.name),
                                 second.schema));
  Comparison comparison;
  comparison.schema = first.schema;
  comparison.limit = limit;
  if (first.seq_len != second.seq_len)
    comparison.notes.push_back(
        fmt::format("sequence lengths are {} and {}: encodings that depend on it are not the same",
                    first.seq_len.empty() ? "unknown" : first.seq_len,
                    second.seq_len.empty() ? "unknown" : second.seq_len));
  const auto partners = by_key(second);
  std::map<Key, std::size_t> used;
  for (const ReadQuantity& item : first.quantities) {
    const Key key{item.identity, item.quantity, item.at};
    const auto found = partners.find(key);
    const std::size_t index = used[key]++;
    if (found == partners.end() || index >= found->second.size()) {
      ++comparison.only_in_a;
      continue;
    }
    comparison.quantities.push_back(compared(item, *found->second[index], limit));
  }
  comparison.only_in_b = second.quantities.size() - comparison.quantities.size();
  if (comparison.quantities.empty())
    throw InputError(fmt::format(
        "{} and {} have no quantity in common (the first begins with {}, the second with {}); "
        "accepted: results of the same encodings, densities, head dimensions and distances, in "
        "part "
        "at least",
        printable(a.name), printable(b.name), first_series(first), first_series(second)));
  return comparison;
}

namespace {

using CompareJson = nlohmann::ordered_json;

struct SeriesSummary {
  std::string series, quantity;
  std::size_t compared = 0, differing = 0;
  const ComparedQuantity* worst = nullptr;
};

bool worse(const ComparedQuantity& a, const ComparedQuantity& b) {
  return a.differs != b.differs ? a.differs : a.z > b.z;
}

std::vector<SeriesSummary> summaries(const Comparison& comparison) {
  std::vector<SeriesSummary> found;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const ComparedQuantity& item : comparison.quantities) {
    const auto [place, made] = places.emplace(std::pair(item.series, item.quantity), found.size());
    if (made) found.push_back({item.series, item.quantity, 0, 0, nullptr});
    SeriesSummary& summary = found[place->second];
    ++summary.compared;
    summary.differing += item.differs ? 1 : 0;
    if (summary.worst == nullptr || worse(item, *summary.worst)) summary.worst = &item;
  }
  return found;
}

// A number short enough for a table; what is no number as it stands.
std::string short_number(const std::string& text) {
  try {
    return LogNumber::parse(text, "number").decimal(10);
  } catch (const InputError&) {
    return printable(text);
  }
}

}  // namespace

CompareJson comparison_json(const Comparison& comparison, const CompareJson& provenance) {
  CompareJson rows = CompareJson::array();
  for (const ComparedQuantity& item : comparison.quantities)
    rows.push_back({{"series", item.series},
                    {"quantity", item.quantity},
                    {"at", item.at.empty() ? CompareJson(nullptr) : CompareJson(item.at)},
                    {"a", item.a},
                    {"b", item.b},
                    {"z", std::isfinite(item.z) ? CompareJson(item.z) : CompareJson(nullptr)},
                    {"differs", item.differs}});
  return {{"schema", "tapalab/compare/1"},
          {"provenance", provenance},
          {"compared_schema", comparison.schema},
          {"z", comparison.limit},
          {"compared", comparison.quantities.size()},
          {"differing", comparison.differing()},
          {"only_in_a", comparison.only_in_a},
          {"only_in_b", comparison.only_in_b},
          {"notes", comparison.notes},
          {"quantities", std::move(rows)}};
}

std::string comparison_table(const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows;
  for (const SeriesSummary& summary : summaries(comparison)) {
    const ComparedQuantity& worst = *summary.worst;
    rows.push_back({escaped(summary.series), escaped(summary.quantity),
                    std::to_string(summary.compared), std::to_string(summary.differing),
                    std::isfinite(worst.z) ? fmt::format("{:.2f}", worst.z) : "inf",
                    worst.at.empty() ? "-" : escaped(worst.at), short_number(worst.a),
                    short_number(worst.b)});
  }
  std::string text =
      aligned_table({"series", "quantity", "compared", "differ", "worst z", "at", "a", "b"}, rows,
                    {true, true, false, false, false, true, false, false});
  text += fmt::format("\n{} of {} quantities differ beyond z = {}", comparison.differing(),
                      comparison.quantities.size(), comparison.limit);
  if (comparison.only_in_a + comparison.only_in_b > 0)
    text += fmt::format("; {} stand in the first alone, {} in the second", comparison.only_in_a,
                        comparison.only_in_b);
  text += '\n';
  for (const std::string& note : comparison.notes) text += note + '\n';
  return text;
}

}  // namespace tapalab
