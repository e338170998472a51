// Options that several commands share, and how a command line is parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/experiment.hpp"
#include "analysis/experiment_spec.hpp"
#include "cli/progress.hpp"

namespace tapalab::cli {

/// Thrown where --help was asked for; holds the text.
struct HelpRequested {
  std::string text;
};

/// An app for `tapalab COMMAND` with --help; `example` stands at the end of its help.
std::unique_ptr<CLI::App> make_app(const std::string& command, const std::string& description,
                                   const std::string& example);

/// Parses, and refuses what `app` does not know with the nearest name that it does. Throws
/// InputError and HelpRequested.
void parse(CLI::App& app, const std::vector<std::string>& arguments);

/// An option that takes one value and stands at most once; text is kept even where it is empty.
CLI::Option* add_text(CLI::App& app, const std::string& names, std::optional<std::string>& target,
                      const std::string& help);

/// An option that takes one value each time it stands.
CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& target,
                      const std::string& help);

/// What is computed.
struct ExperimentFlags {
  std::vector<std::string> encodings;
  std::vector<std::string> densities;
  std::optional<std::string> spec, sweep, head_dim, distances, seq_len, engine, estimator, samples,
      seed, confidence, rel_tol, abs_tol, threads;

  /// The file named by --spec, where one is, with every flag in its place, and defaults filled in.
  /// Throws InputError.
  ExperimentSpec experiment() const;
  /// 0 where --threads was not given. Throws InputError.
  unsigned thread_count() const;
};
void add_experiment_options(CLI::App& app, ExperimentFlags& flags);

/// Options that several commands have in the same words. `what` the seed is of.
void add_head_dim_option(CLI::App& app, std::optional<std::string>& target);
void add_seed_option(CLI::App& app, std::optional<std::string>& target, const std::string& what);
void add_confidence_option(CLI::App& app, std::optional<std::string>& target);
void add_threads_option(CLI::App& app, std::optional<std::string>& target);

enum class Format { table, csv, json };

/// Where it goes and what is said meanwhile.
struct OutputFlags {
  std::optional<std::string> format, out, plot, progress;
  bool quiet = false;
  bool explain = false;

  /// Throws InputError for a format that is not among `accepted`.
  Format chosen_format(const std::vector<std::string>& accepted) const;
  ProgressMode progress_mode() const;
  /// Refuses files that cannot be written before anything is computed.
  void check_files() const;
  /// Throws InputError where --out or --plot is `file`, which is `what` ("the file of --spec").
  void keep(const std::optional<std::string>& file, const char* what) const;
  /// The same for the files that encodings and densities come from.
  void keep_sources(const std::vector<CurveTask>& tasks) const;
};
/// The files that encodings and densities come from: what no output may replace.
std::vector<std::string> source_files(const std::vector<CurveTask>& tasks);
/// What a model's configuration holds without effect, each line once, on standard error unless
/// `quiet`.
void say_warnings(const std::vector<CurveTask>& tasks, bool quiet);
/// Throws InputError, naming `option`, where `file` is one of `sources`.
void refuse_replacing(const std::string& file, const char* option,
                      const std::vector<std::string>& sources);
/// `formats`: the accepted words, for the help.
void add_output_options(CLI::App& app, OutputFlags& flags, const std::string& formats);
void add_plot_option(CLI::App& app, OutputFlags& flags);
void add_explain_option(CLI::App& app, OutputFlags& flags);

/// One task for each pair of encoding and density of `flags`, with what a CurveTask says of it and
/// the rest from `common`; sources are kept from the outputs, and warnings said. Throws InputError.
template <class Task>
std::vector<Task> planned_tasks(const Task& common, const ExperimentFlags& flags,
                                const OutputFlags& output) {
  const std::vector<CurveTask> curves = plan_curves(flags.experiment(), flags.thread_count());
  output.keep_sources(curves);
  say_warnings(curves, output.quiet);
  std::vector<Task> tasks;
  for (const CurveTask& curve : curves) {
    Task task = common;
    task.encoding = curve.encoding;
    task.density = curve.density;
    task.head_dim = curve.head_dim;
    task.seed = curve.sampling.seed;
    task.confidence = curve.sampling.confidence;
    task.threads = flags.thread_count();
    tasks.push_back(std::move(task));
  }
  return tasks;
}

/// 1 to 4096; 0 where unset. Throws InputError.
unsigned parse_threads(const std::optional<std::string>& text);

}  // namespace tapalab::cli
