#include "analysis/fit_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "analysis/writers/json.hpp"

namespace tapalab {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json number_json(const FitNumber& number) {
  return {{"value", finite_or_null(number.value)},
          {"error",
           {{"kind", to_string(number.kind)},
            {"rigorous", number.rigorous},
            {"level", or_null(number.level)},
            {"lower", finite_or_null(number.lower)},
            {"upper", finite_or_null(number.upper)}}}};
}

Json number_json(const std::optional<FitNumber>& number) {
  return number ? number_json(*number) : Json(nullptr);
}

const char* name(AsymptoteKind kind) {
  switch (kind) {
    case AsymptoteKind::power:
      return "power";
    case AsymptoteKind::faster_than_power:
      return "faster-than-power";
    case AsymptoteKind::not_predicted:
      break;
  }
  return "not-predicted";
}

}  // namespace

Json fit_json(const FitResult& fit) {
  Json engines = Json::array();
  for (const Engine engine : fit.engines) engines.push_back(to_string(engine));
  Json points = Json::array();
  for (const FitPoint& point : fit.points) {
    points.push_back({{"distance", point.distance},
                      {"scale", point.scale},
                      {"t", point.t},
                      {"predicted_exponent", number_json(point.predicted)}});
  }
  Json local = Json::array();
  for (const LocalExponent& step : fit.local) {
    local.push_back({{"distance_low", step.distance_low},
                     {"distance_high", step.distance_high},
                     {"t_low", step.t_low},
                     {"t_high", step.t_high},
                     {"exponent", number_json(step.in_distance)},
                     {"exponent_in_scale", number_json(step.in_scale)},
                     {"predicted_exponent", number_json(step.predicted)}});
  }
  return {{"encoding", encoding_json(fit.encoding)},
          {"density", density_json(fit.density)},
          {"head_dim", fit.head_dim},
          {"seed", or_null(fit.seed)},
          {"samples", or_null(fit.samples)},
          {"engines", std::move(engines)},
          {"window",
           {{"t_min", fit.window.t_min},
            {"t_max", finite_or_null(fit.window.t_max)},
            {"errors_between_distances",
             fit.window.dependence == ErrorDependence::independent ? "independent" : "unknown"}}},
          {"left_out",
           {{"outside_window", fit.outside_window},
            {"unresolved", fit.unresolved},
            {"no_envelope", fit.no_envelope}}},
          {"overall",
           {{"exponent", number_json(fit.overall)},
            {"predicted_exponent", number_json(fit.overall_predicted)}}},
          {"asymptote",
           {{"kind", name(fit.asymptote.kind)},
            {"exponent", or_null(fit.asymptote.exponent_in_distance)},
            {"exponent_in_scale", or_null(fit.asymptote.exponent_in_scale)},
            {"reason", fit.asymptote.reason}}},
          {"points", std::move(points)},
          {"local", std::move(local)}};
}

Json fits_json(const std::vector<FitResult>& fits, const Json& provenance) {
  Json list = Json::array();
  for (const FitResult& fit : fits) list.push_back(fit_json(fit));
  return {{"schema", "tapalab/fit/1"}, {"provenance", provenance}, {"fits", std::move(list)}};
}

}  // namespace tapalab
