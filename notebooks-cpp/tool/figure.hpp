// Figures of analysis/plot as outputs of a cell.
#pragma once

#include "analysis/plot/figure.hpp"

namespace tapalab::notebook {

/// Draws the figure (gnuplot, SVG) and shows it below the cell. Throws as plot::draw does.
void display_figure(const plot::Figure& figure);

}  // namespace tapalab::notebook
