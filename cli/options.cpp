#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/experiment_file.hpp"
#include "analysis/plot/render.hpp"
#include "cli/output.hpp"
#include "sim/errors.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::cli {
namespace {

constexpr std::size_t kHelpColumn = 30;

// The app is called "tapalab curve"; messages begin with "tapalab: " already.
std::string command_of(const CLI::App& app) {
  return app.get_name().substr(app.get_name().find(' ') + 1);
}

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The option after an option without a value is taken for it: say so, rather than what that leads
// to.
void refuse_option_as_value(const std::string& name, const std::string& value) {
  if (value.substr(0, 2) == "--") {
    throw InputError(fmt::format("{}: needs a value; {} stands in its place", name, value));
  }
}

bool same_file(const std::string& a, const std::string& b) {
  const auto whole = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  return whole(a) == whole(b);
}

template <typename T, typename Parse>
void read(const std::optional<std::string>& text, const char* name, std::optional<T>& target,
          Parse parse_value) {
  if (text) target = parse_value(*text, name);
}

}  // namespace

std::unique_ptr<CLI::App> make_app(const std::string& command, const std::string& description,
                                   const std::string& example) {
  auto app = std::make_unique<CLI::App>(description, "tapalab " + command);
  app->allow_extras();
  app->set_help_flag("-h,--help", "this text");
  app->footer("Example:\n  " + example + "\n");
  app->get_formatter()->column_width(kHelpColumn);
  app->get_formatter()->label("REQUIRED", "");
  return app;
}

void parse(CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    throw HelpRequested{app.help()};
  } catch (const CLI::ParseError& error) {
    throw InputError(fmt::format("{}: {}", command_of(app), error.what()));
  }
  auto unknown = app.remaining();
  // The mark after which all arguments are files or names is one of them to CLI11.
  const auto mark = std::find(unknown.begin(), unknown.end(), "--");
  const bool options = mark != unknown.begin();  // the first of them comes before the mark
  if (mark != unknown.end()) unknown.erase(mark);
  if (unknown.empty()) return;
  const std::string name = unknown.front().substr(0, unknown.front().find('='));
  if (options && name.size() > 1 && name[0] == '-') {
    throw InputError(unknown_name(command_of(app), "option", name, long_names(app)));
  }
  throw InputError(fmt::format("{}: unexpected argument {}; accepted: options (see {} --help)",
                               command_of(app), printable(unknown.front()), app.get_name()));
}

CLI::Option* add_text(CLI::App& app, const std::string& names, std::optional<std::string>& target,
                      const std::string& help) {
  return app
      .add_option(
          names,
          [&target, names](const CLI::results_t& values) {
            if (values.size() != 1) throw InputError(names + ": given more than once");
            refuse_option_as_value(names, values.front());
            target = values.front();
            return true;
          },
          help)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& target,
                      const std::string& help) {
  return app
      .add_option(
          name,
          [&target, name](const CLI::results_t& values) {
            for (const auto& value : values) refuse_option_as_value(name, value);
            target = values;
            return true;
          },
          help)
      ->type_name("SPEC")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void add_experiment_options(CLI::App& app, ExperimentFlags& flags) {
  add_list(app, "--encoding", flags.encodings,
           "encoding, repeatable: tapa, tapa:alpha=0.1,share=0.5,law=power, "
           "rope:base=500000, ... (default tapa; tapalab list encodings)");
  add_list(app, "--density", flags.densities,
           "density of queries and keys, repeatable: gaussian:rho=0.25, "
           "'mixture:weight=0.3,rho=0.6;weight=0.7', student-t-joint:nu=5, empirical:file=F,..., "
           "also with bandwidth=0.1: tokens^2 cosines a distance for tapa "
           "(default gaussian:rho=0.25; tapalab list densities)");
  add_text(
      app, "--spec", flags.spec,
      "experiment in TOML (its paths are relative to it), or a result's JSON; flags override it")
      ->type_name("FILE");
  add_text(app, "--sweep", flags.sweep,
           "one curve for each value of a key of the encodings or densities: KEY=lin:LO:HI:N or "
           "log:LO:HI:N")
      ->type_name("KEY=GRID");
  add_head_dim_option(app, flags.head_dim);
  add_text(app, "--distances", flags.distances,
           "1,10,1000 or log:1:2^40:64 or lin:0:100:101, from 0 to 2^63-1 (default log:1:2^20:21)")
      ->type_name("LIST");
  add_text(app, "--seq-len", flags.seq_len,
           "sequence length, for encodings that depend on it (default: largest distance + 1)")
      ->type_name("N");
  add_text(app, "--engine", flags.engine,
           "auto (the most exact that applies), exact, quadrature, mc, ... (tapalab list engines)")
      ->type_name("E");
  add_text(app, "--estimator", flags.estimator,
           "plain, antithetic (engine mc); qmc (engine qmc); conditional, zero-variance, "
           "importance (engine conditional; the last two with gpu as well); auto takes the "
           "engine's best in a pilot run "
           "(default with conditional; with mc plain)")
      ->type_name("NAME");
  add_text(app, "--samples", flags.samples, "samples of a sampling engine, 2 to 2^62 (default 1e6)")
      ->type_name("N");
  add_seed_option(app, flags.seed, "a sampling engine");
  add_confidence_option(app, flags.confidence);
  add_text(
      app, "--rel-tol", flags.rel_tol,
      "error of the mean asked for, relative to |mean|, 1e-300 to 1e300: sampling stops there, "
      "and an engine that misses it exits 4")
      ->type_name("X");
  add_text(app, "--abs-tol", flags.abs_tol, "the same, absolute: 1e-300 to 1e300")->type_name("X");
  add_threads_option(app, flags.threads);
}

void add_output_options(CLI::App& app, OutputFlags& flags, const std::string& formats) {
  add_text(app, "--format", flags.format,
           formats + " (default: by the extension of --out, else table)")
      ->type_name("FORMAT");
  add_text(app, "--out", flags.out, "write the result to this file; standard output stays empty")
      ->type_name("FILE");
  app.add_flag("--quiet", flags.quiet, "nothing on standard error but errors");
  add_text(app, "--progress", flags.progress, "auto, on or off: rate and remaining time")
      ->type_name("MODE");
}

void add_plot_option(CLI::App& app, OutputFlags& flags) {
  add_text(app, "--plot", flags.plot, "draw the curves: FILE.svg, .png or .pdf")->type_name("FILE");
}

void add_explain_option(CLI::App& app, OutputFlags& flags) {
  app.add_flag("--explain", flags.explain, "say on standard error which engine runs and why");
}

ExperimentSpec ExperimentFlags::experiment() const {
  ExperimentSpec given;
  for (const auto& text : encodings) given.encodings.push_back(parse_encoding(text));
  for (const auto& text : densities) given.densities.push_back(parse_density(text));
  read(sweep, "--sweep", given.sweep, parse_sweep);
  read(head_dim, "--head-dim", given.head_dim, parse_head_dim);
  if (distances) given.distances = parse_distances(*distances);
  read(seq_len, "--seq-len", given.seq_len, parse_seq_len);
  read(engine, "--engine", given.engine, parse_engine);
  read(estimator, "--estimator", given.estimator, parse_estimator);
  read(samples, "--samples", given.samples, parse_samples);
  read(seed, "--seed", given.seed, parse_seed);
  read(confidence, "--confidence", given.confidence, parse_confidence);
  read(rel_tol, "--rel-tol", given.rel_tol, parse_tolerance);
  read(abs_tol, "--abs-tol", given.abs_tol, parse_tolerance);
  if (!spec) return completed(given);
  return completed(overridden(read_experiment_file(*spec), given));
}

unsigned ExperimentFlags::thread_count() const { return parse_threads(threads); }

void add_head_dim_option(CLI::App& app, std::optional<std::string>& target) {
  add_text(app, "--head-dim", target,
           "head dimension, 1 to 65536, even but for tapa-general (default: the file's, else 128)")
      ->type_name("D");
}

void add_seed_option(CLI::App& app, std::optional<std::string>& target, const std::string& what) {
  add_text(app, "--seed", target, "seed of " + what + ", 0 to 2^64-1 (default 1)")->type_name("S");
}

void add_confidence_option(CLI::App& app, std::optional<std::string>& target) {
  add_text(app, "--confidence", target,
           "level of intervals, strictly between 0 and 1 (default 0.95)")
      ->type_name("C");
}

void add_threads_option(CLI::App& app, std::optional<std::string>& target) {
  add_text(app, "--threads", target, "threads, 1 to 4096 (default: all); never changes a result")
      ->type_name("T");
}

unsigned parse_threads(const std::optional<std::string>& text) {
  return text ? static_cast<unsigned>(parse_count(*text, "--threads", 1, 4096)) : 0;
}

Format OutputFlags::chosen_format(const std::vector<std::string>& accepted) const {
  std::string name = format.value_or("table");
  // A file named x.json holds JSON, where nothing else was asked for.
  for (const std::string& ending : accepted) {
    if (!format && out && out->size() > ending.size() && out->ends_with("." + ending))
      name = ending;
  }
  if (std::find(accepted.begin(), accepted.end(), name) == accepted.end()) {
    throw InputError(unknown_name("--format", "format", name, accepted));
  }
  if (name == "csv") return Format::csv;
  return name == "json" ? Format::json : Format::table;
}

ProgressMode OutputFlags::progress_mode() const {
  return parse_progress(progress.value_or("auto"));
}

void OutputFlags::check_files() const {
  if (out) require_writable(*out, "--out");
  if (!plot) return;
  try {
    plot::format_of(*plot);
  } catch (const InputError&) {
    throw InputError(fmt::format("--plot: {} has no known extension; accepted: .svg, .png, .pdf",
                                 printable(*plot)));
  }
  require_writable(*plot, "--plot");
  if (out && same_file(*out, *plot))
    throw InputError("--plot: the same file as --out; give two names");
}

void OutputFlags::keep(const std::optional<std::string>& file, const char* what) const {
  if (!file) return;
  for (const auto& [target, name] : {std::pair{&out, "--out"}, std::pair{&plot, "--plot"}}) {
    if (*target && same_file(**target, *file)) {
      throw InputError(fmt::format("{}: {} is {}, which it would replace; accepted: another file",
                                   name, printable(**target), what));
    }
  }
}

std::vector<std::string> source_files(const std::vector<CurveTask>& tasks) {
  std::vector<std::string> files;
  for (const CurveTask& task : tasks) {
    if (const auto* rope = std::get_if<ModelRopeEncoding>(&task.encoding.law))
      files.push_back(rope->file);
    if (const auto* tokens = std::get_if<EmpiricalDensity>(&task.density.law)) {
      // without a file the tensors are files of their own
      if (tokens->file.empty()) {
        files.push_back(tokens->query_tensor);
        files.push_back(tokens->key_tensor);
      } else {
        files.push_back(tokens->file);
      }
    }
  }
  files.erase(std::remove(files.begin(), files.end(), std::string()), files.end());
  return files;
}

void refuse_replacing(const std::string& file, const char* option,
                      const std::vector<std::string>& sources) {
  for (const std::string& source : sources) {
    if (same_file(file, source))
      throw InputError(fmt::format("{}: {} is a file that this run reads; accepted: another file",
                                   option, printable(file)));
  }
}

void OutputFlags::keep_sources(const std::vector<CurveTask>& tasks) const {
  const std::vector<std::string> sources = source_files(tasks);
  if (out) refuse_replacing(*out, "--out", sources);
  if (plot) refuse_replacing(*plot, "--plot", sources);
}

void say_warnings(const std::vector<CurveTask>& tasks, bool quiet) {
  if (quiet) return;
  std::vector<std::string> said;
  for (const CurveTask& task : tasks) {
    const auto* rope = std::get_if<ModelRopeEncoding>(&task.encoding.law);
    if (rope == nullptr) continue;
    for (const std::string& warning : rope->warnings) {
      const std::string line =
          fmt::format("tapalab: warning: {}: {}\n", escaped(rope->file), one_line(warning));
      if (std::find(said.begin(), said.end(), line) != said.end()) continue;
      write_stderr(line);
      said.push_back(line);
    }
  }
}

}  // namespace tapalab::cli
