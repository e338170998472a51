#include "analysis/plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tapalab::plot {
namespace {

/// The nearest label that tells multiples of `step` apart.
std::string number_label(double value, double step) {
  if (std::abs(value) < step * 1e-6) return "0";
  const double magnitude = std::max(std::abs(value), step);
  if (magnitude >= 1e6 || magnitude < 1e-3) {
    const double exponent = std::floor(std::log10(magnitude) + 1e-9);
    const double significand = value / std::pow(10.0, exponent);
    const int digits =
        std::clamp(static_cast<int>(std::ceil(exponent - std::log10(step) - 1e-9)), 0, 12);
    return fmt::format("{:.{}f}·10^{{{:.0f}}}", significand, digits, exponent);
  }
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
  return fmt::format("{:.{}f}", value, decimals);
}

// "+ 0.0" turns the -0 that rounding may leave into 0.
std::string power_label(double exponent) { return fmt::format("10^{{{:.0f}}}", exponent + 0.0); }

}  // namespace

void Range::include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

double nice_step(double span, int most) {
  const double raw = span / most;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<Tick> plain_ticks(const Range& range, int most) {
  const double step = nice_step(range.span(), most);
  std::vector<Tick> ticks;
  for (double k = std::ceil(range.low / step - 1e-9); k * step <= range.high + step * 1e-9; ++k) {
    ticks.push_back({k * step, number_label(k * step, step)});
  }
  return ticks;
}

std::vector<Tick> decade_ticks(const Range& range, int most) {
  std::vector<Tick> ticks;
  if (range.span() < 0.8) {
    Range linear;
    linear.include(std::pow(10.0, range.low));
    linear.include(std::pow(10.0, range.high));
    for (Tick& tick : plain_ticks(linear, most)) {
      if (tick.at > 0) ticks.push_back({std::log10(tick.at), std::move(tick.label)});
    }
    return ticks;
  }
  if (range.span() < 2) {
    for (double k = std::floor(range.low); k <= range.high; ++k) {
      for (int digit = 1; digit <= 9; ++digit) {
        const double at = k + std::log10(digit);
        if (at < range.low || at > range.high) continue;
        const bool labelled = digit == 1 || digit == 2 || digit == 5;
        const double unit = std::pow(10.0, k);
        ticks.push_back({at, labelled ? number_label(digit * unit, unit) : ""});
      }
    }
    return ticks;
  }
  const double step = std::max(1.0, nice_step(range.span(), most));
  for (double k = std::ceil(range.low / step - 1e-9); k * step <= range.high + 1e-9; ++k) {
    ticks.push_back({k * step, power_label(k * step)});
  }
  if (step == 1 && range.span() <= 10) {
    for (double k = std::floor(range.low); k <= range.high; ++k) {
      for (int digit = 2; digit <= 9; ++digit) {
        const double at = k + std::log10(digit);
        if (at >= range.low && at <= range.high) ticks.push_back({at, ""});
      }
    }
  }
  return ticks;
}

Range panel_range(const Panel& panel) {
  const bool decades = panel.y_axis == AxisKind::decades;
  Range range, arrows;
  for (const Series& series : panel.series) {
    for (const Mark& mark : series.marks) {
      if (mark.upper_bound) {
        range.include(mark.high);
        arrows.include(mark.high);
        continue;
      }
      range.include(mark.y);
      range.include(mark.high);
      // In decades an interval that nearly reaches 0 has no useful lower end; it is cut off.
      range.include(decades ? std::max(mark.low, mark.y - 1) : mark.low);
    }
    for (const Vertex& vertex : series.thin) range.include(vertex.y);
  }
  for (const Rule& rule : panel.rules) range.include(rule.y);
  if (panel.zero_line) range.include(0);
  if (range.empty()) {
    range.include(0);
  }
  // A bound may lie far above what it bounds: it widens the range by a quarter at most.
  Range reference;
  for (const Reference& line : panel.references) {
    for (const Vertex& vertex : line.line) reference.include(vertex.y);
  }
  if (!reference.empty()) {
    const double room = std::max(range.span() / 4, decades ? 1.0 : 0.0);
    range.include(std::clamp(reference.high, range.low - room, range.high + room));
    range.include(std::clamp(reference.low, range.low - room, range.high + room));
  }
  // Differences below the resolution of a double in decades, or of the numbers themselves, are
  // differences of rounding alone.
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  const double least = decades ? (size > 300 ? 2.0 : 0.02) : std::max(1e-6 * size, 1e-300);
  if (range.span() < least) {
    const double middle = range.low + range.span() / 2;
    const double half = decades ? std::max(least, 0.5) : (size > 0 ? 0.1 * size : 1.0);
    range = {middle - half, middle + half};
  }
  if (!arrows.empty()) range.include(arrows.low - 0.05 * range.span());  // the arrows' length
  if (panel.zero_base && range.low > 0) return {0, 1.06 * range.high};
  const double pad = 0.06 * range.span();
  return {range.low - pad, range.high + pad};
}

}  // namespace tapalab::plot
