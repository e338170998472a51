#include "notebooks-cpp/tool/notebook.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>
#include <typeinfo>
#include <utility>

#include "notebooks-cpp/tool/run.hpp"

namespace tapalab::notebook {
namespace {

using nlohmann::json;

Session* current_session = nullptr;

/// JSON on one line; what is not UTF-8 is replaced.
std::string one_line(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string class_name(const std::exception& error) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : typeid(error).name();
}

std::string escaped_html(const std::string& text) {
  std::string html;
  for (const char c : text) {
    if (c == '<') {
      html += "&lt;";
    } else if (c == '&') {
      html += "&amp;";
    } else {
      html += c;
    }
  }
  return html;
}

void display(const char* mime, const std::string& text) {
  if (current_session == nullptr) throw std::logic_error("display outside of a notebook's cells");
  current_session->display(mime, text);
}

[[noreturn]] void fail(const char* doing) {
  throw std::system_error(errno, std::generic_category(), doing);
}

}  // namespace

void display_svg(const std::string& svg, const std::string& phone) {
  display("image/svg+xml", svg);
  if (!phone.empty()) display(kPhoneFigure.data(), phone);
}
void display_html(const std::string& html) { display("text/html", html); }
void display_markdown(const std::string& markdown) { display("text/markdown", markdown); }

void display_table(const std::vector<std::string>& header,
                   const std::vector<std::vector<std::string>>& rows) {
  const auto row_html = [](const std::vector<std::string>& row, const std::string& element) {
    std::string html = "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      html += "<" + element + (i == 0 ? ">" : " style=\"text-align:right\">") +
              escaped_html(row[i]) + "</" + element + ">";
    }
    return html + "</tr>\n";
  };
  std::string html = "<table>\n<thead>" + row_html(header, "th") + "</thead>\n<tbody>\n";
  for (const auto& row : rows) html += row_html(row, "td");
  display_html(html + "</tbody>\n</table>\n");
}

void require(bool holds, const std::string& text, const char* file, int line) {
  if (holds) return;
  throw CheckFailed(text + " does not hold (" + file + ":" + std::to_string(line) + ")");
}

Session::Session(int argc, char** argv, std::string notebook) : notebook_(std::move(notebook)) {
  if (argc > 1) {
    if ((records_ = std::fopen(argv[1], "w")) == nullptr) fail(argv[1]);
    if ((captured_ = std::tmpfile()) == nullptr) fail("temporary file");
    std::fflush(stdout);
    terminal_ = ::dup(STDOUT_FILENO);
    if (terminal_ < 0 || ::dup2(::fileno(captured_), STDOUT_FILENO) < 0) fail("standard output");
  }
  current_session = this;
}

Session::~Session() {
  current_session = nullptr;
  std::fflush(stdout);
  if (terminal_ >= 0) {
    ::dup2(terminal_, STDOUT_FILENO);
    ::close(terminal_);
  }
  if (captured_ != nullptr) std::fclose(captured_);
  if (records_ != nullptr) std::fclose(records_);
}

void Session::record(const std::string& line) {
  const bool written = std::fputs((line + "\n").c_str(), records_) >= 0;
  if (std::fflush(records_) != 0 || !written) fail("writing the record of the run");
}

// What was printed since the last call becomes one output of the cell.
void Session::flush() {
  std::cout.flush();
  std::fflush(stdout);
  if (records_ == nullptr) return;
  std::string text;
  char buffer[65536];
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(::fileno(captured_), buffer, sizeof buffer, at);
    if (got < 0) fail("captured output");
    if (got == 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
    at += got;
  }
  if (text.empty()) return;
  if (::ftruncate(STDOUT_FILENO, 0) != 0 || ::lseek(STDOUT_FILENO, 0, SEEK_SET) < 0) {
    fail("captured output");
  }
  record(one_line({{"cell", cell_}, {"stream", text}}));
}

void Session::begin(std::size_t cell, std::size_t line, std::size_t end) {
  flush();
  cell_ = cell;
  line_ = line;
  end_ = end;
  if (records_ != nullptr) record(one_line({{"begin", cell}}));
}

void Session::display(const std::string& mime, const std::string& text) {
  flush();
  if (records_ != nullptr) {
    record(one_line({{"cell", cell_}, {"mime", mime}, {"data", text}}));
  } else if (mime == kPhoneFigure) {
    return;
  } else if (mime == "image/svg+xml") {
    std::printf("[a figure, SVG of %zu bytes]\n", text.size());
  } else {
    std::printf("%s\n", text.c_str());
  }
}

int Session::failed() {
  flush();
  std::string name = "unknown exception", text;
  try {
    throw;
  } catch (const std::exception& error) {
    name = class_name(error);
    text = error.what();
  } catch (...) {
  }
  const std::string where = notebook_ + ":" + std::to_string(line_) + ": in the cell of lines " +
                            std::to_string(line_) + " to " + std::to_string(end_ - 1);
  if (records_ != nullptr) {
    record(one_line({{"cell", cell_}, {"ename", name}, {"evalue", text}, {"where", where}}));
  } else {
    std::fprintf(stderr, "%s: %s: %s\n", where.c_str(), name.c_str(), text.c_str());
  }
  return 1;
}

int Session::done() {
  flush();
  if (records_ != nullptr) record(one_line({{"done", true}}));
  return 0;
}

}  // namespace tapalab::notebook
