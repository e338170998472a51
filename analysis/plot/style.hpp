// Colours, markers and dashes: no two of the first 35 curves share both colour and marker, and no
// difference rests on colour alone.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace tapalab::plot {

/// Okabe and Ito's palette, told apart with every common colour blindness; its yellow is left out,
/// too faint on white.
inline const std::string& colour(std::size_t style) {
  static const std::array<std::string, 7> colours = {"0072B2", "D55E00", "009E73", "CC79A7",
                                                     "E69F00", "56B4E9", "000000"};
  return colours[style % colours.size()];
}

/// gnuplot point types: circle, square, triangle, diamond, pentagon.
struct Marker {
  int hollow;
  int filled;
  double size;
};
inline Marker marker(std::size_t style) {
  static constexpr std::array<Marker, 5> markers = {
      {{6, 7, 0.62}, {4, 5, 0.56}, {8, 9, 0.72}, {12, 13, 0.78}, {14, 15, 0.66}}};
  return markers[style % markers.size()];
}

/// Solid, dashed, dash-dot, long-dashed; dots are kept for envelopes.
inline const std::string& dash(std::size_t style) {
  static const std::array<std::string, 4> dashes = {"1", "(7,3)", "(9,3,2,3)", "(14,4)"};
  return dashes[style % dashes.size()];
}

}  // namespace tapalab::plot
