#include "analysis/writers/csv.hpp"

#include <fmt/format.h>

#include "analysis/writers/bounds.hpp"

namespace tapalab {
namespace {

std::string cells(const std::optional<Quantity>& quantity) {
  if (!quantity) return ",,,,";
  return fmt::format(",{},{},{},{}", quantity->estimate.decimal(),
                     lower_bound_text(quantity->error.lower),
                     upper_bound_text(quantity->error.upper), to_string(quantity->error.kind));
}

std::string cell(const std::optional<std::uint64_t>& number) {
  return number ? std::to_string(*number) : "";
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string curves_csv(const std::vector<DistanceCurve>& curves) {
  std::string out = "encoding,density,head_dim,seed,samples,distance,engine,status";
  for (const char* name : {"mean", "envelope", "variance", "variance_excess"}) {
    out += fmt::format(",{0},{0}_lower,{0}_upper,{0}_error_kind", name);
  }
  out += '\n';
  for (const auto& curve : curves) {
    const std::string head =
        fmt::format("{},{},{},{},{}", csv_field(curve.encoding.spec), csv_field(curve.density.spec),
                    curve.head_dim, cell(curve.seed), cell(curve.samples));
    for (const auto& point : curve.points) {
      out += fmt::format("{},{},{},{}{}{}{}{}\n", head, point.distance, to_string(point.engine),
                         to_string(point.status), cells(point.mean), cells(point.envelope),
                         cells(point.variance), cells(point.variance_excess));
    }
  }
  return out;
}

}  // namespace tapalab
