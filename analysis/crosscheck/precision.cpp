#include "analysis/crosscheck/precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/crosscheck/rounding.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

constexpr std::array<FloatFormat, 4> kFormats{FloatFormat::f64, FloatFormat::f32, FloatFormat::bf16,
                                              FloatFormat::f16};

}  // namespace

Precisions preset(FloatFormat dtype) {
  const FloatFormat accum = dtype == FloatFormat::f64 ? FloatFormat::f64 : FloatFormat::f32;
  return {dtype, accum, dtype, dtype, dtype};
}

double device_cosine_error(const Precisions& precisions) {
  const double function = precisions.trig == FloatFormat::f64 ? 2.3e-16 : 1.2e-7;
  return function + unit_roundoff(precisions.trig) + unit_roundoff(precisions.table) +
         unit_roundoff(precisions.accum) + 2 * underflow_error(precisions.trig) +
         2 * underflow_error(precisions.table);
}

std::string_view precision_name(FloatFormat format) {
  switch (format) {
    case FloatFormat::f64:
      return "fp64";
    case FloatFormat::f32:
      return "fp32";
    case FloatFormat::bf16:
      return "bf16";
    case FloatFormat::f16:
      break;
  }
  return "fp16";
}

FloatFormat parse_precision(std::string_view text, std::string_view name) {
  std::vector<std::string> names;
  for (const FloatFormat format : kFormats) {
    if (precision_name(format) == text) return format;
    names.emplace_back(precision_name(format));
  }
  throw InputError(unknown_name(name, "precision", text, names));
}

std::vector<FloatFormat> parse_precisions(std::string_view text, std::string_view name) {
  std::vector<FloatFormat> formats;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const FloatFormat format = parse_precision(text.substr(begin, end - begin), name);
    if (std::find(formats.begin(), formats.end(), format) != formats.end()) {
      throw InputError(fmt::format("{}: {} stands twice; accepted: each precision once", name,
                                   precision_name(format)));
    }
    formats.push_back(format);
    begin = end + 1;
  }
  return formats;
}

std::string to_text(const Precisions& p) {
  return fmt::format("io={} accum={} phase={} table={} trig={}", precision_name(p.io),
                     precision_name(p.accum), precision_name(p.phase), precision_name(p.table),
                     precision_name(p.trig));
}

}  // namespace tapalab
