#include "proofs-check/report.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "analysis/writers/json.hpp"
#include "proofs-check/report_figures.hpp"
#include "proofs-check/report_page.hpp"
#include "sim/errors.hpp"
#include "sim/io/atomic_file.hpp"

namespace tapalab {
namespace {

namespace fs = std::filesystem;

/// Removed with all it holds when it goes out of scope.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& parent) {
    std::string pattern = (parent / ".figures-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw InputError("--out-dir: cannot write in " + parent.string());
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

PageFigure draw_for_page(const ReportFigure& figure, const fs::path& folder) {
  PageFigure page{figure.name, figure.claim, figure.figure.title, "", "", figure.csv, ""};
  const fs::path file = folder / (figure.name + ".svg");
  const auto drawn = [&](plot::PageWidth width) {
    plot::draw(figure.figure, file.string(), width);
    std::ifstream stream(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  try {
    page.svg = drawn(plot::PageWidth::desk);
    page.phone = drawn(plot::PageWidth::phone);
  } catch (const InputError& error) {
    throw InputError(std::string("--out-dir: ") + error.what());
  } catch (const std::runtime_error& error) {
    // Without gnuplot, or with one that fails, the claims still stand: the page says what is
    // missing.
    page.missing = error.what();
  }
  return page;
}

}  // namespace

ReportFiles write_report(const ReportContent& content, const nlohmann::ordered_json& provenance,
                         const std::string& out_dir) {
  std::error_code error;
  fs::create_directories(out_dir, error);
  if (!fs::is_directory(out_dir)) throw InputError("--out-dir: cannot make the folder " + out_dir);
  const fs::path folder(out_dir);
  const std::vector<ReportFigure> figures = report_figures(content.verify);
  std::vector<PageFigure> drawn;
  {
    const TemporaryFolder temporary(folder);
    for (const ReportFigure& figure : figures)
      drawn.push_back(draw_for_page(figure, temporary.path()));
  }
  ReportFiles files;
  for (const PageFigure& page : drawn) {
    if (files.figures_missing.empty()) files.figures_missing = page.missing;
  }
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::string path = (folder / name).string();
    write_file_atomically(path, text, "--out-dir");
    files.written.push_back(path);
  };
  write("report.html", report_page(content.verify, provenance, drawn, content.results));
  for (const ReportFigure& figure : figures) write(figure.name + ".csv", figure.csv);
  if (content.writes_verify_json)
    write("verify.json", json_text(verify_json(content.verify, provenance)));
  return files;
}

}  // namespace tapalab
