#include <nlohmann/json.hpp>

#include "analysis/shards.hpp"
#include "analysis/writers/json.hpp"
#include "cli/command.hpp"
#include "cli/curves.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"
#include "sim/io/bounded_text.hpp"

namespace tapalab::cli {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

// The order of the names never matters: samples have numbers.
std::vector<ShardText> read_shards(const std::vector<std::string>& names) {
  std::vector<ShardText> shards;
  for (const std::string& name : names) {
    shards.push_back({name, read_bounded_text(name, kMostBytes, "merge")});
  }
  return shards;
}

}  // namespace

int run_merge(const Arguments& arguments) {
  OutputFlags output;
  std::optional<std::string> threads_text;
  std::vector<std::string> names;
  const auto app = make_app("merge",
                            "The result of the whole experiment from the files of its shards, the "
                            "same to the last bit as from one run.",
                            "tapalab curve --engine mc --shard 1/2 --out a.json\n"
                            "  tapalab curve --engine mc --shard 2/2 --out b.json\n"
                            "  tapalab merge a.json b.json --format json");
  app->add_option("SHARD", names, "files that --shard wrote, each sample in exactly one");
  add_text(*app, "--threads", threads_text,
           "threads for curves that are not sampled, 1 to 4096 (default: all)")
      ->type_name("T");
  add_output_options(*app, output, "table, csv or json");
  add_plot_option(*app, output);
  parse(*app, arguments.rest);

  const Format format = output.chosen_format({"table", "csv", "json"});
  output.progress_mode();
  output.check_files();
  for (const std::string& name : names) output.keep(name, "one of the shards");
  const unsigned threads = parse_threads(threads_text);
  const MergedShards merged = merge_shards(read_shards(names), threads);
  write_curves(merged.curves, merged.experiment, provenance(arguments, threads), format,
               CurveQuantity::all, output);
  return target_code(merged.curves);
}

}  // namespace tapalab::cli
