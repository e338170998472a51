#include "notebooks-cpp/tool/figure.hpp"

#include "notebooks-cpp/tool/notebook.hpp"
#include "notebooks-cpp/tool/process.hpp"
#include "sim/io/bounded_text.hpp"

namespace tapalab::notebook {

void display_figure(const plot::Figure& figure) {
  const ScratchFolder scratch;
  const auto drawn = [&](plot::PageWidth width) {
    const std::string file = scratch.file("figure.svg");
    plot::draw(figure, file, width);
    return read_bounded_text(file, 64 << 20, "figure");
  };
  display_svg(drawn(plot::PageWidth::desk), drawn(plot::PageWidth::phone));
}

}  // namespace tapalab::notebook
