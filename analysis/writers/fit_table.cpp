#include "analysis/writers/fit_table.hpp"

#include <fmt/format.h>

#include "analysis/writers/csv.hpp"
#include "analysis/writers/table.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

std::string with_interval(const FitNumber& number) {
  return fmt::format("{:.6f} [{:.6f}, {:.6f}]", number.value, number.lower, number.upper);
}

std::string with_interval(const std::optional<FitNumber>& number) {
  return number ? with_interval(*number) : "-";
}

std::string asymptote_text(const Asymptote& asymptote) {
  switch (asymptote.kind) {
    case AsymptoteKind::power:
      return fmt::format("{:.6g} ({})", *asymptote.exponent_in_distance, asymptote.reason);
    case AsymptoteKind::faster_than_power:
      return fmt::format("faster than every power ({})", asymptote.reason);
    case AsymptoteKind::not_predicted:
      break;
  }
  return fmt::format("not predicted ({})", asymptote.reason);
}

std::string left_out_text(const FitResult& fit) {
  return fmt::format("{} used, {} outside the window, {} unresolved, {} without an envelope",
                     fit.points.size(), fit.outside_window, fit.unresolved, fit.no_envelope);
}

std::string csv_number(const std::optional<FitNumber>& number) {
  return number ? fmt::format("{},{},{}", number->value, number->lower, number->upper) : ",,";
}

}  // namespace

std::string fits_table(const std::vector<FitResult>& fits) {
  std::string out;
  for (const FitResult& fit : fits) {
    if (!out.empty()) out += '\n';
    out += fmt::format("{}   {}   D = {}\n", escaped(fit.encoding.spec), escaped(fit.density.spec),
                       fit.head_dim);
    out += fmt::format("points:       {}\n", left_out_text(fit));
    out += fmt::format("exponent:     {}\n", with_interval(fit.overall));
    out += fmt::format("predicted:    {}\n", with_interval(fit.overall_predicted));
    out += fmt::format("asymptote:    {}\n", asymptote_text(fit.asymptote));
    std::vector<std::vector<std::string>> rows;
    for (const LocalExponent& step : fit.local) {
      rows.push_back({std::to_string(step.distance_low), std::to_string(step.distance_high),
                      fmt::format("{:.3f}", step.t_low), fmt::format("{:.3f}", step.t_high),
                      with_interval(step.in_distance), with_interval(step.predicted)});
    }
    out += aligned_table({"from", "to", "t from", "t to", "local exponent", "predicted"}, rows, {});
  }
  return out;
}

std::string fits_csv(const std::vector<FitResult>& fits) {
  std::string out =
      "encoding,density,head_dim,distance_low,distance_high,t_low,t_high,exponent,exponent_lower,"
      "exponent_upper,predicted,predicted_lower,predicted_upper,asymptote\n";
  for (const FitResult& fit : fits) {
    const auto& limit = fit.asymptote.exponent_in_distance;
    for (const LocalExponent& step : fit.local) {
      out += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_field(fit.encoding.spec),
                         csv_field(fit.density.spec), fit.head_dim, step.distance_low,
                         step.distance_high, step.t_low, step.t_high, csv_number(step.in_distance),
                         csv_number(step.predicted), limit ? fmt::format("{}", *limit) : "");
    }
  }
  return out;
}

}  // namespace tapalab
