// Progress on standard error: how much, how fast, how long still.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace tapalab::cli {

enum class ProgressMode { automatic, on, off };

/// "auto", "on", "off". Throws InputError.
ProgressMode parse_progress(const std::string& text);

/// One line that is drawn again on a terminal; where there is none and the mode is `on`, a line of
/// its own at most once a second. Plain text: no colour, no other escape than the carriage return.
class Progress {
 public:
  /// automatic: only where standard error is a terminal.
  Progress(ProgressMode mode, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Starts anew for the work called `label`: `total` units of `unit`.
  void start(const std::string& label, double total, const std::string& unit);
  /// Part of it done, 0 to 1; from any thread.
  void update(double fraction);
  /// `done` steps of `total` are behind, `step` comes next: drawn at once, since steps are few.
  void step(std::size_t done, std::size_t total, const std::string& step);
  /// Clears the line, so that others can write.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void draw(const std::string& text);

  std::mutex mutex_;
  bool active_ = false;
  bool terminal_ = false;
  std::string label_;
  std::string unit_;
  double total_ = 0;
  Clock::time_point started_;
  Clock::time_point drawn_;
  std::size_t width_ = 0;
};

}  // namespace tapalab::cli
