#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "analysis/crosscheck/attention_files.hpp"
#include "analysis/crosscheck/attention_writers.hpp"
#include "analysis/crosscheck/figure.hpp"
#include "analysis/crosscheck/writers.hpp"
#include "analysis/experiment_file.hpp"
#include "analysis/writers/json.hpp"
#include "cli/command.hpp"
#include "cli/device.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/provenance.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::cli {
namespace {

struct CrosscheckFlags {
  std::vector<std::string> encodings, densities;
  std::optional<std::string> spec, head_dim, distances, seq_len, samples, seed, threads;
  std::optional<std::string> dtype, io, accum, phase, table, trig, backend, offset, horizon;
  std::optional<std::string> rows, inputs, head, observed, golden;

  bool attention() const { return rows || inputs; }
};

void add_options(CLI::App& app, CrosscheckFlags& flags) {
  add_list(app, "--encoding", flags.encodings,
           "encoding, repeatable: tapa, tapa-linear, or any rotary one (default tapa)");
  add_list(app, "--density", flags.densities,
           "density of queries and keys (default gaussian:rho=0.25)");
  add_text(app, "--spec", flags.spec, "experiment in TOML, or a result's JSON; flags override it")
      ->type_name("FILE");
  add_text(app, "--head-dim", flags.head_dim,
           "head dimension, even, 2 to 65536 (default: the file's, else 128)")
      ->type_name("D");
  add_text(app, "--distances", flags.distances,
           "1,10,1000 or log:1:2^40:64 or lin:0:100:101, up to 2^63-1 (default log:1:2^40:44)")
      ->type_name("LIST");
  add_text(app, "--seq-len", flags.seq_len,
           "sequence length, for encodings that depend on it (default: largest distance + 1)")
      ->type_name("N");
  add_text(app, "--dtype", flags.dtype,
           "fp64, fp32, bf16, fp16 or a list of them: --io, --phase, --table and --trig in that "
           "type, --accum in fp32, or fp64 for fp64 (default fp32)")
      ->type_name("LIST");
  for (auto& [name, target, meaning] :
       {std::tuple{"--io", &flags.io, "queries, keys, rotated vectors and outputs"},
        std::tuple{"--accum", &flags.accum, "dot products, logits, softmax, sums"},
        std::tuple{"--phase", &flags.phase, "positions, frequencies, phase scale, angles"},
        std::tuple{"--table", &flags.table, "stored cosines and sines (rotary)"},
        std::tuple{"--trig", &flags.trig, "reduced angle, its cosine and sine"}}) {
    add_text(app, name, *target, std::string("precision of ") + meaning)->type_name("TYPE");
  }
  add_text(app, "--backend", flags.backend,
           "cpu (emulated, the default) or cuda, whose own arithmetic is checked")
      ->type_name("NAME");
  add_text(app, "--offset", flags.offset,
           "also score(m+c, n+c) against score(m, n), for each c: 0,2^10,2^20")
      ->type_name("LIST");
  add_text(app, "--horizon", flags.horizon,
           "find the largest distance up to which the phase error stays within H turns, H > 0")
      ->type_name("H");
  add_text(app, "--rows", flags.rows,
           "instead of scores: rows number A to B-1 of causal attention over --seq-len tokens, "
           "spread over them")
      ->type_name("A:B");
  add_text(app, "--inputs", flags.inputs,
           "q, k and v of a .safetensors file instead of drawn tokens")
      ->type_name("FILE");
  add_text(app, "--head", flags.head, "head of --inputs and --observed, where they have several")
      ->type_name("N");
  add_text(
      app, "--observed", flags.observed,
      "judge the tensor out of this .safetensors file, somebody else's kernel on --inputs: one "
      "row a token, or one for each token that a tensor rows names")
      ->type_name("FILE");
  add_text(app, "--export", flags.golden,
           "write q, k, v, the rows and their fp64 output: FILE.safetensors")
      ->type_name("FILE");
  add_text(app, "--samples", flags.samples, "pairs of query and key, 2 to 1e6 (default 10000)")
      ->type_name("N");
  add_seed_option(app, flags.seed, "the pairs");
  add_threads_option(app, flags.threads);
}

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::uint64_t> offsets_of(const CrosscheckFlags& flags) {
  if (!flags.offset) return {0};
  std::vector<std::uint64_t> offsets;
  for (const std::string_view part : split(*flags.offset)) {
    offsets.push_back(parse_count(part, "--offset", 0, (std::uint64_t{1} << 63) - 1));
  }
  return offsets;
}

Precisions precisions_of(FloatFormat dtype, const CrosscheckFlags& flags) {
  Precisions precisions = preset(dtype);
  const auto take = [](FloatFormat& part, const std::optional<std::string>& text,
                       const char* name) {
    if (text) part = parse_precision(*text, name);
  };
  take(precisions.io, flags.io, "--io");
  take(precisions.accum, flags.accum, "--accum");
  take(precisions.phase, flags.phase, "--phase");
  take(precisions.table, flags.table, "--table");
  take(precisions.trig, flags.trig, "--trig");
  return precisions;
}

ExperimentSpec experiment_of(const CrosscheckFlags& flags, const TokenStream* tokens = nullptr) {
  ExperimentSpec given;
  for (const auto& text : flags.encodings) given.encodings.push_back(parse_encoding(text));
  for (const auto& text : flags.densities) given.densities.push_back(parse_density(text));
  if (flags.head_dim) given.head_dim = parse_head_dim(*flags.head_dim, "--head-dim");
  if (flags.distances) given.distances = parse_distances(*flags.distances);
  if (flags.seq_len) given.seq_len = parse_seq_len(*flags.seq_len, "--seq-len");
  if (flags.samples) given.samples = parse_count(*flags.samples, "--samples", 2, 1'000'000);
  if (flags.seed) given.seed = parse_seed(*flags.seed, "--seed");
  ExperimentSpec spec = flags.spec ? overridden(read_experiment_file(*flags.spec), given) : given;
  if (tokens != nullptr) {
    spec.head_dim = tokens->dim();
    spec.seq_len = tokens->tokens();
  }
  if (!spec.distances) spec.distances = parse_distances("log:1:2^40:44");
  if (!spec.seq_len && flags.offset) {  // the last position that is reached
    const auto offsets = offsets_of(flags);
    const auto& distances = spec.distances->distances;
    spec.seq_len = std::min(std::uint64_t{1} << 63,
                            *std::max_element(offsets.begin(), offsets.end()) +
                                *std::max_element(distances.begin(), distances.end()) + 1);
  }
  if (!flags.samples) spec.samples = CrosscheckTask{}.samples;
  return completed(spec);
}

std::vector<CrosscheckTask> tasks_of(const CrosscheckFlags& flags, unsigned threads,
                                     const OutputFlags& output) {
  const auto dtypes = parse_precisions(flags.dtype.value_or("fp32"), "--dtype");
  const auto offsets = offsets_of(flags);
  std::vector<CrosscheckTask> tasks;
  const std::vector<CurveTask> curves = plan_curves(experiment_of(flags), threads);
  output.keep_sources(curves);
  say_warnings(curves, output.quiet);
  for (const CurveTask& curve : curves) {
    for (const FloatFormat dtype : dtypes) {
      CrosscheckTask task;
      task.encoding = curve.encoding;
      task.density = curve.density;
      task.head_dim = curve.head_dim;
      task.distances = curve.distances;
      task.offsets = offsets;
      task.dtype = dtype;
      task.precisions = precisions_of(dtype, flags);
      task.samples = curve.sampling.samples;
      task.seed = curve.sampling.seed;
      if (flags.horizon) task.horizon = parse_tolerance(*flags.horizon, "--horizon");
      task.threads = threads;
      tasks.push_back(std::move(task));
    }
  }
  return tasks;
}

// What runs the kernels; nothing where they are emulated.
void check_backend(const CrosscheckFlags& flags) {
  const std::string name = flags.backend.value_or("cpu");
  if (name != "cpu" && name != "cuda")
    throw InputError(unknown_name("--backend", "backend", name, {"cpu", "cuda"}));
  if (name == "cuda" && flags.attention())
    throw InputError(
        "--backend: cuda runs kernels of scores; accepted with rows of attention: cpu");
}

// After check_backend. Throws UnavailableError.
std::shared_ptr<const Backend> backend_of(const CrosscheckFlags& flags) {
  return flags.backend.value_or("cpu") == "cuda" ? cuda_device("--backend cuda") : nullptr;
}

std::vector<ScoreCheck> run_checks(std::vector<CrosscheckTask> tasks,
                                   std::shared_ptr<const Backend> device,
                                   const OutputFlags& output) {
  Progress progress(output.progress_mode(), output.quiet);
  std::vector<ScoreCheck> checks;
  for (CrosscheckTask& task : tasks) {
    progress.start(
        fmt::format("{} in {}", printable(task.encoding.spec), precision_name(task.dtype)),
        static_cast<double>(task.distances.distances.size()), "distances");
    task.progress = [&progress](double fraction) {
      throw_if_interrupted();
      progress.update(fraction);
    };
    task.device = device;
    checks.push_back(check_scores(task));
    progress.finish();
  }
  return checks;
}

void refuse_with_rows(const std::optional<std::string>& option, const char* name) {
  if (option) {
    throw InputError(fmt::format(
        "{}: does not go with rows of attention; accepted: without --rows and --inputs", name));
  }
}

void check_attention_flags(const CrosscheckFlags& flags, const OutputFlags& output) {
  if (!flags.attention()) {
    if (flags.observed) throw InputError("--observed: needs --inputs, what the kernel was given");
    if (flags.golden) throw InputError("--export: needs --rows or --inputs");
    return;
  }
  refuse_with_rows(flags.distances, "--distances");
  refuse_with_rows(flags.offset, "--offset");
  refuse_with_rows(flags.horizon, "--horizon");
  refuse_with_rows(flags.samples, "--samples");
  refuse_with_rows(output.plot, "--plot");
  if (flags.golden) {
    if (!flags.golden->ends_with(".safetensors"))
      throw InputError(fmt::format("--export: {} is no .safetensors; accepted: FILE.safetensors",
                                   printable(*flags.golden)));
    require_writable(*flags.golden, "--export");
    for (const auto* source : {&flags.spec, &flags.inputs, &flags.observed}) {
      if (*source) refuse_replacing(*flags.golden, "--export", {**source});
    }
  }
  if (flags.inputs) {
    for (const auto& [given, name] : {std::pair{flags.head_dim.has_value(), "--head-dim"},
                                      std::pair{flags.seq_len.has_value(), "--seq-len"},
                                      std::pair{flags.seed.has_value(), "--seed"},
                                      std::pair{!flags.densities.empty(), "--density"}}) {
      if (given) throw InputError(fmt::format("{}: --inputs says it; leave one of them out", name));
    }
    return;
  }
  if (flags.observed) throw InputError("--observed: needs --inputs, what the kernel was given");
  if (!flags.seq_len) throw InputError("--rows: needs --seq-len, the number of tokens");
}

// A:B, rows A to B-1; without it the first 128 or all.
std::pair<std::uint64_t, std::uint64_t> rows_of(const CrosscheckFlags& flags,
                                                std::uint64_t tokens) {
  if (!flags.rows) return {0, std::min<std::uint64_t>(tokens, 128)};
  const auto colon = flags.rows->find(':');
  if (colon == std::string::npos) {
    throw InputError(
        fmt::format("--rows: {} is not of the form A:B; accepted: 0:128", printable(*flags.rows)));
  }
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  const std::uint64_t first = parse_count(flags.rows->substr(0, colon), "--rows", 0, most);
  const std::uint64_t last = parse_count(flags.rows->substr(colon + 1), "--rows", 0, most);
  return {first, last};
}

// The head that is asked for; one must be where there are several.
std::uint32_t head_of(const CrosscheckFlags& flags) {
  const std::uint64_t heads = flags.inputs ? query_heads(*flags.inputs) : 1;
  if (!flags.head) {
    if (heads <= 1) return 0;
    throw InputError(fmt::format("--inputs: q has {} heads; accepted: --head N, from 0 to {}",
                                 heads, heads - 1));
  }
  if (!flags.inputs) throw InputError("--head: needs --inputs; drawn tokens have one head");
  return static_cast<std::uint32_t>(
      parse_count(*flags.head, "--head", 0, std::max<std::uint64_t>(heads, 1) - 1));
}

std::vector<AttentionReport> run_attention(const CrosscheckFlags& flags, const OutputFlags& output,
                                           unsigned threads) {
  std::unique_ptr<TokenStream> file;
  const std::uint32_t head = head_of(flags);
  if (flags.inputs) file = file_tokens(*flags.inputs, FloatFormat::f64, head);
  const ExperimentSpec spec = experiment_of(flags, file.get());
  const auto dtypes = parse_precisions(flags.dtype.value_or("fp32"), "--dtype");
  const std::vector<CurveTask> curves = plan_curves(spec, threads);
  output.keep_sources(curves);
  if (flags.golden) refuse_replacing(*flags.golden, "--export", source_files(curves));
  say_warnings(curves, output.quiet);
  if (flags.golden && curves.size() * dtypes.size() != 1) {
    throw InputError(
        "--export: one file for several checks; accepted: one encoding, one density "
        "and one --dtype");
  }
  Progress progress(output.progress_mode(), output.quiet);
  std::vector<AttentionReport> reports;
  for (const CurveTask& curve : curves) {
    for (const FloatFormat dtype : dtypes) {
      AttentionReport report{curve.encoding,
                             {},
                             {},
                             flags.inputs.value_or(""),
                             flags.observed.value_or(""),
                             head,
                             dtype,
                             precisions_of(dtype, flags),
                             {}};
      const FloatFormat io = report.precisions.io;
      std::unique_ptr<TokenStream> tokens;
      if (flags.inputs) {
        tokens = file_tokens(*flags.inputs, io, head);
      } else {
        report.density = curve.density;
        report.seed = curve.sampling.seed;
        tokens = density_tokens(curve.density, curve.encoding, curve.head_dim, spec.seq_len.value(),
                                curve.sampling.seed, io);
      }
      AttentionTask task;
      task.encoding = curve.encoding;
      task.precisions = report.precisions;
      task.tokens = tokens.get();
      task.threads = threads;
      // Without --rows those of the kernel's own file, where it names them.
      if (flags.observed && !flags.rows) task.rows = observed_rows(*flags.observed);
      std::tie(task.first_row, task.last_row) = rows_of(flags, tokens->tokens());
      if (flags.observed) {
        task.observed = read_outputs(
            *flags.observed,
            task.rows.empty() ? spread_rows(tokens->tokens(), task.first_row, task.last_row)
                              : task.rows,
            tokens->tokens(), tokens->dim(), head);
      }
      progress.start(fmt::format("{} in {}", printable(curve.encoding.spec), precision_name(dtype)),
                     static_cast<double>(tokens->tokens()), "tokens");
      task.progress = [&progress](double fraction) {
        throw_if_interrupted();
        progress.update(fraction);
      };
      report.check = check_attention(task);
      progress.finish();
      if (flags.golden) {
        export_golden(
            *flags.golden, *tokens, io, report.check,
            fmt::format("crosscheck of {}, {}", curve.encoding.spec, to_text(report.precisions)));
      }
      reports.push_back(std::move(report));
    }
  }
  return reports;
}

std::string json_of(const std::vector<ScoreCheck>& scores,
                    const std::vector<AttentionReport>& attention, const Arguments& arguments,
                    unsigned threads) {
  nlohmann::ordered_json document{{"schema", "tapalab/crosscheck/1"},
                                  {"provenance", provenance(arguments, threads)},
                                  {"scores", nlohmann::ordered_json::array()},
                                  {"attention", nlohmann::ordered_json::array()}};
  for (const ScoreCheck& check : scores) document["scores"].push_back(crosscheck_json(check));
  for (const auto& report : attention) document["attention"].push_back(attention_json(report));
  return json_text(document);
}

int finish_scores(const CrosscheckFlags& flags, const OutputFlags& output, Format format,
                  const Arguments& arguments, unsigned threads) {
  // arguments are judged before the device is asked for
  std::vector<CrosscheckTask> tasks = tasks_of(flags, threads, output);
  for (const CrosscheckTask& task : tasks) check_task(task);
  const std::vector<ScoreCheck> checks = run_checks(std::move(tasks), backend_of(flags), output);
  if (output.plot) plot_crosscheck(checks, *output.plot);
  write_result(format == Format::csv     ? crosscheck_csv(checks)
               : format == Format::table ? crosscheck_table(checks)
                                         : json_of(checks, {}, arguments, threads),
               output.out.value_or(""));
  const bool holds = std::all_of(checks.begin(), checks.end(),
                                 [](const ScoreCheck& check) { return check.holds; });
  return holds ? kDone : kCheckFailed;
}

int finish_attention(const CrosscheckFlags& flags, const OutputFlags& output, Format format,
                     const Arguments& arguments, unsigned threads) {
  const std::vector<AttentionReport> reports = run_attention(flags, output, threads);
  write_result(format == Format::csv     ? attention_csv(reports)
               : format == Format::table ? attention_table(reports)
                                         : json_of({}, reports, arguments, threads),
               output.out.value_or(""));
  const bool holds = std::all_of(reports.begin(), reports.end(),
                                 [](const AttentionReport& report) { return report.check.holds; });
  return holds ? kDone : kCheckFailed;
}

}  // namespace

int run_crosscheck(const Arguments& arguments) {
  CrosscheckFlags flags;
  OutputFlags output;
  const auto app = make_app(
      "crosscheck",
      "Scores of a kernel in fp64, fp32, bf16 or fp16, emulated with correct rounding, against "
      "exact ones: errors, their bound by stage, and the phase error against distance. Exits 1 "
      "where an error is above its bound or no score is finite, or outputs of attention (--rows) "
      "above their tolerance.",
      "tapalab crosscheck --encoding rope:base=500000 --dtype bf16,fp32 --horizon 0.01");
  add_options(*app, flags);
  add_output_options(*app, output, "table, csv or json");
  add_plot_option(*app, output);
  parse(*app, arguments.rest);

  check_attention_flags(flags, output);
  const Format format = output.chosen_format({"table", "csv", "json"});
  output.progress_mode();
  output.check_files();
  output.keep(flags.spec, "the file of --spec");
  output.keep(flags.inputs, "the file of --inputs");
  output.keep(flags.observed, "the file of --observed");
  output.keep(flags.golden, "the file of --export");
  const unsigned threads = parse_threads(flags.threads);
  check_backend(flags);
  return flags.attention() ? finish_attention(flags, output, format, arguments, threads)
                           : finish_scores(flags, output, format, arguments, threads);
}

}  // namespace tapalab::cli
