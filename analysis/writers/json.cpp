#include "analysis/writers/json.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "analysis/writers/bounds.hpp"

namespace tapalab {
namespace {

using Json = nlohmann::ordered_json;

Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json finite_or_null(const std::optional<double>& x) {
  return x ? finite_or_null(*x) : Json(nullptr);
}

template <typename T>
Json value_or_null(const std::optional<T>& x) {
  return x ? Json(*x) : Json(nullptr);
}

Json vector_json(const std::vector<ExactDecimal>& values) {
  Json row = Json::array();
  for (const auto& value : values) row.push_back(value.text());
  return row;
}

Json matrix_json(const DecimalMatrix& matrix) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    Json row = Json::array();
    for (std::size_t j = 0; j < matrix.cols; ++j) row.push_back(matrix(i, j).text());
    rows.push_back(std::move(row));
  }
  return rows;
}

const char* text(PhaseLaw law) { return law == PhaseLaw::power ? "power" : "linear"; }

const char* text(PairRule rule) {
  switch (rule) {
    case PairRule::all:
      return "all";
    case PairRule::causal:
      return "causal";
    case PairRule::shuffled:
      return "shuffled";
    case PairRule::at_distance:
      return "at-distance";
  }
  return "";
}

void add_parameters(Json& out, const TapaEncoding& tapa) {
  out["alpha"] = tapa.alpha.text();
  out["share"] = tapa.share.text();
  out["law"] = text(tapa.law);
}

void add_parameters(Json& out, const TapaLinearEncoding& tapa) {
  out["alpha"] = tapa.alpha.text();
  out["share"] = tapa.share.text();
  out["law"] = text(tapa.law);
}

void add_parameters(Json& out, const TapaGeneralEncoding& tapa) {
  out["alpha"] = tapa.alpha.text();
  out["law"] = text(tapa.law);
  out["M"] = matrix_json(tapa.M);
  out["N"] = matrix_json(tapa.N);
}

void add_parameters(Json& out, const RopeEncoding& rope) {
  out["base"] = rope.base.text();
  out["angle"] = rope.angle == AngleUnit::turns ? "turns" : "radians";
  out["pairing"] = rope.pairing == Pairing::adjacent ? "adjacent" : "half";
  out["freq"] = rope.frequency == FrequencyPrecision::exact ? "exact" : "f32";
}

void add_parameters(Json& out, const ModelRopeEncoding& model) {
  for (const auto& [key, value] : model.parameters) out[key] = value;
}

void add_parameters(Json& out, const XposEncoding& xpos) {
  out["base"] = xpos.base.text();
  out["gamma"] = xpos.gamma.text();
  out["scale_base"] = xpos.scale_base.text();
  out["pairing"] = xpos.pairing == Pairing::adjacent ? "adjacent" : "half";
}

void add_parameters(Json& out, const AlibiEncoding& alibi) {
  if (alibi.slope) {
    out["slope"] = alibi.slope->text();
    return;
  }
  out["heads"] = alibi.heads;
  out["head"] = alibi.head;
}

void add_parameters(Json&, const NopeEncoding&) {}

void add_pair_law(Json& out, const std::string& prefix, const PairLaw& law) {
  out[prefix + "mean_q"] = law.mean_q.text();
  out[prefix + "mean_k"] = law.mean_k.text();
  out[prefix + "scale_q"] = law.scale_q.text();
  out[prefix + "scale_k"] = law.scale_k.text();
  out[prefix + "rho"] = law.rho.text();
}

void add_parameters(Json& out, const GaussianDensity& gaussian) {
  if (!gaussian.split) {
    add_pair_law(out, "", gaussian.amplitude);
    return;
  }
  add_pair_law(out, "a.", gaussian.amplitude);
  add_pair_law(out, "p.", gaussian.phase);
}

void add_parameters(Json& out, const FullGaussianDensity& gaussian) {
  out["mean"] = vector_json(gaussian.mean);
  out["covariance"] = matrix_json(gaussian.covariance);
}

void add_parameters(Json& out, const MixtureDensity& mixture) {
  Json components = Json::array();
  for (const MixtureComponent& component : mixture.components) {
    Json one = Json::object();
    if (component.weight) one["weight"] = component.weight->text();
    std::visit([&](const auto& law) { add_parameters(one, law); }, component.law);
    components.push_back(std::move(one));
  }
  out["components"] = std::move(components);
}

void add_parameters(Json& out, const RadialDensity& radial) {
  add_pair_law(out, radial.split ? "a." : "", radial.amplitude);
  if (radial.split) add_pair_law(out, "p.", radial.phase);
  if (radial.shape == RadialShape::student_t) out["nu"] = radial.nu.text();
}

void add_parameters(Json& out, const EmpiricalDensity& empirical) {
  out["file"] = empirical.file;
  out["q"] = empirical.query_tensor;
  out["k"] = empirical.key_tensor;
  out["head"] = empirical.head;
  out["pairs"] = text(empirical.pairs);
  out["skip"] = empirical.skip;
  out["bandwidth"] = empirical.bandwidth.text();
}

void add_pair_scales(Json& out, const std::string& prefix, const PairLaw& law) {
  out[prefix + "mean_q"] = law.mean_q.text();
  out[prefix + "mean_k"] = law.mean_k.text();
  out[prefix + "scale_q"] = law.scale_q.text();
  out[prefix + "scale_k"] = law.scale_k.text();
}

void add_parameters(Json& out, const ProductDensity& product) {
  add_pair_scales(out, product.split ? "a." : "", product.amplitude);
  if (product.split) add_pair_scales(out, "p.", product.phase);
  out["key"] = marginal_name(product.key.family);
  for (const Marginal* law : {&product.query, &product.key}) {
    if (law->family == MarginalFamily::student_t) out["nu"] = law->nu.text();
  }
}

// A logarithm that was rounded, moved up past its rounding: no error is said to be smaller than it
// is.
double upward(double log10_abs) {
  return log10_abs + 4 * std::numeric_limits<double>::epsilon() * std::abs(log10_abs);
}

Json error_json(const Error& error) {
  return {{"kind", to_string(error.kind)},
          {"rigorous", error.rigorous},
          {"log10_absolute", finite_or_null(upward(error.absolute.log10_abs()))},
          {"relative_to_envelope", finite_or_null(error.relative_to_envelope)},
          {"level", finite_or_null(error.level)},
          {"lower", lower_bound_text(error.lower)},
          {"upper", upper_bound_text(error.upper)}};
}

bool is_flat(const Json& node) {
  for (const auto& child : node) {
    if (child.is_structured()) return false;
  }
  return true;
}

void append_text(std::string& out, const Json& node, std::size_t indent) {
  if (!node.is_structured() || node.empty() || (node.is_array() && is_flat(node))) {
    out += node.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  const std::string margin(indent + 2, ' ');
  const char* separator = "\n";
  out += node.is_object() ? '{' : '[';
  for (const auto& [key, child] : node.items()) {
    out += separator + margin;
    if (node.is_object()) {
      out += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
    }
    append_text(out, child, indent + 2);
    separator = ",\n";
  }
  out += '\n' + std::string(indent, ' ') + (node.is_object() ? '}' : ']');
}

}  // namespace

Json encoding_json(const Encoding& encoding) {
  Json out{{"name", encoding_name(encoding.law)}, {"spec", encoding.spec}};
  std::visit([&](const auto& law) { add_parameters(out, law); }, encoding.law);
  return out;
}

Json density_json(const Density& density) {
  Json out{{"name", density_name(density.law)}, {"spec", density.spec}};
  std::visit([&](const auto& law) { add_parameters(out, law); }, density.law);
  return out;
}

Json quantity_json(const std::optional<Quantity>& quantity) {
  if (!quantity) return nullptr;
  const LogNumber& estimate = quantity->estimate;
  const std::string decimal = estimate.decimal();
  return {{"sign", quantity->sign_resolved ? Json(estimate.sign()) : Json(nullptr)},
          {"decimal", decimal},
          {"log10_abs", finite_or_null(estimate.log10_abs())},
          {"value", finite_or_null(nearest_double(decimal))},
          {"error", error_json(quantity->error)}};
}

// Variances are measured in units of their own: an error relative to the mean's envelope, which may
// be 1e-70, would say nothing of them.
Json alone(Json quantity) {
  if (quantity.is_object()) quantity["error"]["relative_to_envelope"] = nullptr;
  return quantity;
}

Json curve_json(const DistanceCurve& curve) {
  Json points = Json::array();
  for (const auto& point : curve.points) {
    points.push_back({{"distance", point.distance},
                      {"engine", to_string(point.engine)},
                      {"status", to_string(point.status)},
                      {"mean", quantity_json(point.mean)},
                      {"envelope", quantity_json(point.envelope)},
                      {"variance", alone(quantity_json(point.variance))},
                      {"variance_excess", alone(quantity_json(point.variance_excess))}});
  }
  Json out{{"encoding", encoding_json(curve.encoding)},
           {"density", density_json(curve.density)},
           {"head_dim", curve.head_dim},
           {"seed", value_or_null(curve.seed)},
           {"samples", value_or_null(curve.samples)}};
  if (!curve.estimator.empty()) out["estimator"] = curve.estimator;
  if (!curve.unavailable.empty()) out["unavailable"] = curve.unavailable;
  out["points"] = std::move(points);
  return out;
}

Json curves_json(const std::vector<DistanceCurve>& curves, const Json& experiment,
                 const Json& provenance) {
  Json list = Json::array();
  for (const auto& curve : curves) list.push_back(curve_json(curve));
  return {{"schema", "tapalab/curve/1"},
          {"provenance", provenance},
          {"experiment", experiment},
          {"curves", std::move(list)}};
}

std::string json_text(const Json& document) {
  std::string out;
  append_text(out, document, 0);
  out += '\n';
  return out;
}

}  // namespace tapalab
