// notebook-build: from a notebook in the percent format to its program, and from a run of that
// program to .ipynb and HTML.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "notebooks-cpp/tool/ipynb.hpp"
#include "notebooks-cpp/tool/page.hpp"
#include "notebooks-cpp/tool/percent.hpp"
#include "notebooks-cpp/tool/run.hpp"
#include "notebooks-cpp/tool/translate.hpp"
#include "sim/errors.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/bounded_text.hpp"

namespace tapalab::notebook {
namespace {

constexpr const char* kUsage =
    R"(notebook-build translate NOTEBOOK.cpp OUT.cpp      writes the program of a notebook as one source
notebook-build run NOTEBOOK.cpp PROGRAM OUT_DIR    runs it; writes NOTEBOOK.ipynb and, where pandoc is
                                                   installed, NOTEBOOK.html into OUT_DIR
notebook-build check FILE.ipynb                    whether a file is what nbformat 4.5 asks for
notebook-build index OUT_DIR NOTEBOOK.cpp...       writes index.html, which links their pages
Exit status: 0 done; 1 a cell failed; 2 bad arguments or input.
)";

void translate(const std::string& notebook, const std::string& output) {
  const std::string text = translation_unit(read_percent(notebook), output);
  write_file_atomically(output, text, "OUT.cpp");
}

int run(const std::string& notebook, const std::string& program, const std::string& folder) {
  const PercentFile file = read_percent(notebook);
  std::filesystem::create_directories(folder);
  const std::string stem =
      (std::filesystem::path(folder) / std::filesystem::path(notebook).stem()).string();
  const NotebookRun result = run_notebook(file, program);
  write_file_atomically(stem + ".ipynb", ipynb_text(file, result), "OUT_DIR");
  try {
    write_file_atomically(stem + ".html", page_html(file, result), "OUT_DIR");
  } catch (const UnavailableError& error) {
    std::fprintf(stderr, "notebook-build: no %s.html: %s\n", stem.c_str(), error.what());
  }
  if (!result.completed) std::fprintf(stderr, "notebook-build: %s\n", result.message().c_str());
  return result.completed ? 0 : 1;
}

void check(const std::string& path) {
  check_ipynb_text(read_bounded_text(path, 256 << 20, "ipynb"));
}

void index(const std::string& folder, const std::vector<std::string>& notebooks) {
  std::vector<std::pair<std::string, std::string>> pages;
  for (const std::string& notebook : notebooks) {
    pages.emplace_back(std::filesystem::path(notebook).stem().string() + ".html",
                       notebook_title(read_percent(notebook)));
  }
  write_file_atomically((std::filesystem::path(folder) / "index.html").string(), index_html(pages),
                        "OUT_DIR");
}

int command(const std::vector<std::string>& words) {
  const std::string name = words.empty() ? "" : words.front();
  if (name == "--help" || name == "-h") {
    std::fputs(kUsage, stdout);
  } else if (name == "translate" && words.size() == 3) {
    translate(words[1], words[2]);
  } else if (name == "run" && words.size() == 4) {
    return run(words[1], words[2], words[3]);
  } else if (name == "check" && words.size() == 2) {
    check(words[1]);
  } else if (name == "index" && words.size() >= 3) {
    index(words[1], {words.begin() + 2, words.end()});
  } else {
    throw InputError(
        "arguments: no command with its files; accepted: translate NOTEBOOK.cpp OUT.cpp, run "
        "NOTEBOOK.cpp PROGRAM OUT_DIR, check FILE.ipynb, index OUT_DIR NOTEBOOK.cpp...");
  }
  return 0;
}

}  // namespace
}  // namespace tapalab::notebook

int main(int argc, char** argv) {
  try {
    return tapalab::notebook::command({argv + 1, argv + argc});
  } catch (const tapalab::InputError& error) {
    std::fprintf(stderr, "notebook-build: %s\n", error.what());
    return 2;
  } catch (const tapalab::UnavailableError& error) {
    std::fprintf(stderr, "notebook-build: %s\n", error.what());
    return 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "notebook-build: %s\n", error.what());
    return 1;
  }
}
