#include "notebooks-cpp/tool/balance.hpp"

#include <cctype>
#include <utility>

namespace tapalab::notebook {
namespace {

struct Open {
  char bracket;
  std::size_t line;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Reads a text once, bracket by bracket, and steps over what brackets do not count in.
class Scan {
 public:
  explicit Scan(const std::string& text) : text_(text) {}

  std::optional<CodeFault> run() {
    while (at_ < text_.size() && !fault_) step();
    if (!fault_ && !open_.empty()) {
      fail(open_.back().line, std::string("'") + open_.back().bracket + "' is not closed");
    }
    return fault_;
  }

 private:
  void step() {
    const char c = text_[at_];
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c == '/' && next == '/') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '/' && next == '*') {
      skip_to("*/", at_ + 2, "comment");
    } else if (c == '"' && at_ > 0 && text_[at_ - 1] == 'R' &&
               (at_ < 2 || !is_word(text_[at_ - 2]))) {
      const std::size_t bracket = std::min(text_.find('(', at_), text_.size());
      skip_to(")" + text_.substr(at_ + 1, bracket - at_ - 1) + "\"", bracket, "raw string");
    } else if (c == '"') {
      skip_quoted('"');
    } else if (c == '\'' && !(at_ > 0 && is_word(text_[at_ - 1]))) {  // else a digit separator
      skip_quoted('\'');
    } else {
      bracket(c);
      advance(1);
    }
  }

  void bracket(char c) {
    static const std::string opening = "([{", closing = ")]}";
    if (opening.find(c) != std::string::npos) {
      open_.push_back({c, line_});
      return;
    }
    const std::size_t kind = closing.find(c);
    if (kind == std::string::npos) return;
    if (open_.empty() || open_.back().bracket != opening[kind]) {
      fail(line_, std::string("'") + c + "' closes nothing in this cell");
    } else {
      open_.pop_back();
    }
  }

  void advance(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count) {
      if (text_[at_++] == '\n') ++line_;
    }
  }

  void skip_to(const std::string& end, std::size_t from, const std::string& what) {
    const std::size_t found = text_.find(end, from);
    if (found == std::string::npos) return fail(line_, "a " + what + " is not terminated");
    advance(found + end.size() - at_);
  }

  void skip_quoted(char quote) {
    const std::size_t begin = line_;
    advance(1);
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      advance(text_[at_] == '\\' ? 2 : 1);
    }
    if (at_ >= text_.size() || text_[at_] == '\n') {
      return fail(begin, std::string("a literal that begins with ") + quote + " is not terminated");
    }
    advance(1);
  }

  void fail(std::size_t line, std::string what) { fault_ = CodeFault{line, std::move(what)}; }

  const std::string& text_;
  std::size_t at_ = 0, line_ = 0;
  std::vector<Open> open_;
  std::optional<CodeFault> fault_;
};

}  // namespace

std::optional<CodeFault> unbalanced(const std::vector<std::string>& code) {
  std::string text;
  for (const std::string& line : code) text += line + "\n";
  return Scan(text).run();
}

}  // namespace tapalab::notebook
