#include "analysis/writers/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/encoding.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

constexpr int kValueDigits = 10;

using Row = std::vector<std::string>;

void add_value(Row& row, const std::optional<Quantity>& quantity) {
  if (!quantity) {
    row.push_back("-");
    return;
  }
  row.push_back(quantity->estimate.decimal(kValueDigits));
}

// The larger half-width, rounded to two digits: enough to read a magnitude.
void add_value_and_error(Row& row, const std::optional<Quantity>& quantity) {
  add_value(row, quantity);
  row.push_back(quantity ? quantity->error.absolute.decimal(2) : "-");
}

std::optional<double> confidence_level(const DistanceCurve& curve) {
  for (const auto& point : curve.points) {
    for (const auto* quantity : {&point.mean, &point.variance}) {
      if (*quantity && (*quantity)->error.level) return (*quantity)->error.level;
    }
  }
  return std::nullopt;
}

std::string heading(const DistanceCurve& curve) {
  std::string line = fmt::format("{}   {}   D = {}", escaped(curve.encoding.spec),
                                 escaped(curve.density.spec), curve.head_dim);
  if (depends_on_length(curve.encoding.law) && curve.encoding.sequence_length)
    line += fmt::format("   text of {} tokens", *curve.encoding.sequence_length);
  if (curve.samples) line += fmt::format("   {} samples", *curve.samples);
  if (curve.seed) line += fmt::format("   seed {}", *curve.seed);
  if (const auto level = confidence_level(curve)) {
    line += fmt::format("   errors at confidence {}", *level);
  }
  return line;
}

std::size_t display_width(const std::string& text) {
  // Continuation bytes of UTF-8 take no column.
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string aligned_table(const std::vector<std::string>& header, const std::vector<Row>& rows,
                          const std::vector<bool>& left_aligned) {
  std::vector<std::size_t> widths;
  for (const auto& title : header) widths.push_back(display_width(title));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  const auto line = [&](const Row& row) {
    std::string text;
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      const std::string padding(widths[i] - display_width(row[i]), ' ');
      const bool left = i < left_aligned.size() && left_aligned[i];
      if (i > 0) text += "  ";
      text += left ? row[i] + padding : padding + row[i];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
  };
  std::string out = line(header);
  for (const auto& row : rows) out += line(row);
  return out;
}

std::string curves_table(const std::vector<DistanceCurve>& curves, TableQuantities quantities) {
  const bool mean = quantities != TableQuantities::variance;
  const bool variance = quantities != TableQuantities::mean;
  Row header{"distance"};
  if (mean) header.insert(header.end(), {"mean", "+-", "envelope"});
  if (variance) header.insert(header.end(), {"variance", "+-"});
  if (quantities == TableQuantities::variance) header.push_back("Var - E[a^2]/2");
  // The status is that of the mean, which a table of variances does not show.
  header.insert(header.end(), {"engine", mean ? "status" : "mean's status"});
  std::vector<bool> left(header.size(), false);
  left[left.size() - 2] = left[left.size() - 1] = true;

  std::string out;
  for (const auto& curve : curves) {
    std::vector<Row> rows;
    for (const auto& point : curve.points) {
      Row row{std::to_string(point.distance)};
      if (mean) {
        add_value_and_error(row, point.mean);
        add_value(row, point.envelope);
      }
      if (variance) add_value_and_error(row, point.variance);
      if (quantities == TableQuantities::variance) add_value(row, point.variance_excess);
      row.emplace_back(to_string(point.engine));
      row.emplace_back(to_string(point.status));
      rows.push_back(std::move(row));
    }
    if (!out.empty()) out += '\n';
    out += heading(curve) + '\n' + aligned_table(header, rows, left);
  }
  return out;
}

}  // namespace tapalab
