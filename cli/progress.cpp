#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/output.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::cli {
namespace {

std::string duration_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

ProgressMode parse_progress(const std::string& text) {
  if (text == "auto") return ProgressMode::automatic;
  if (text == "on") return ProgressMode::on;
  if (text == "off") return ProgressMode::off;
  throw InputError(unknown_name("--progress", "mode", text, {"auto", "on", "off"}));
}

Progress::Progress(ProgressMode mode, bool quiet) : terminal_(isatty(STDERR_FILENO) == 1) {
  active_ = !quiet && (mode == ProgressMode::on || (mode == ProgressMode::automatic && terminal_));
}

Progress::~Progress() { finish(); }

void Progress::start(const std::string& label, double total, const std::string& unit) {
  finish();
  const std::lock_guard lock(mutex_);
  label_ = label;
  total_ = total;
  unit_ = unit;
  started_ = drawn_ = Clock::now();
}

void Progress::update(double fraction) {
  if (!active_) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  const auto pause = terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(1000);
  if (now - drawn_ < pause) return;
  drawn_ = now;
  fraction = std::clamp(fraction, 0.0, 1.0);
  const double elapsed = std::chrono::duration<double>(now - started_).count();
  std::string text = fmt::format("{}: {:.1f}%", label_, 100 * fraction);
  if (fraction > 0) {
    text += fmt::format(", {:.3g} {}/s, {} left", fraction * total_ / elapsed, unit_,
                        duration_text(elapsed * (1 - fraction) / fraction));
  }
  draw(text);
}

void Progress::step(std::size_t done, std::size_t total, const std::string& step) {
  if (!active_) return;
  const std::lock_guard lock(mutex_);
  const double elapsed = std::chrono::duration<double>(Clock::now() - started_).count();
  std::string text = fmt::format("{}: {}/{}", label_, done, total);
  if (done > 0 && done < total) {
    const double left = elapsed * static_cast<double>(total - done) / static_cast<double>(done);
    text += fmt::format(", {:.2g} {}/s, {} left", static_cast<double>(done) / elapsed, unit_,
                        duration_text(left));
  }
  draw(step.empty() ? text : text + ", " + step);
}

void Progress::draw(const std::string& text) {
  if (!terminal_) {
    write_stderr(text + "\n");
    return;
  }
  const std::string padding(width_ > text.size() ? width_ - text.size() : 0, ' ');
  width_ = text.size();
  write_stderr("\r" + text + padding);
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  if (terminal_ && width_ > 0) write_stderr("\r" + std::string(width_, ' ') + "\r");
  width_ = 0;
}

}  // namespace tapalab::cli
