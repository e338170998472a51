// Runs gnuplot on a script and puts the figure it draws in place, whole or not at all.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace tapalab::plot {

enum class Format { svg, png, pdf };

/// By the extension of `file`, letters of any case. Throws InputError for any other extension.
Format format_of(const std::string& file);

/// The lines that select gnuplot's terminal for a figure of width x height pixels (at 96 per inch)
/// and name its output.
std::string terminal_commands(Format format, double width, double height);

/// Lets `write` send a gnuplot script (terminal_commands included) into a gnuplot-iostream session,
/// runs gnuplot without a shell and puts the result in the place of `file`, whole or not at all.
/// Script and figure live under fixed names in a private temporary directory until then: names that
/// a user chose never reach gnuplot. Throws InputError where `file` cannot be written,
/// UnavailableError where gnuplot is not installed, std::runtime_error with gnuplot's message where
/// it fails, Interrupted (sim/interrupt.hpp) where a signal came meanwhile: gnuplot is then ended
/// and nothing is left behind.
void render(const std::string& file, const std::function<void(std::ostream&)>& write);

}  // namespace tapalab::plot
