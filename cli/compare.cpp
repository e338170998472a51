#include "analysis/compare.hpp"

#include <nlohmann/json.hpp>

#include "analysis/experiment_values.hpp"
#include "analysis/writers/json.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"
#include "sim/errors.hpp"
#include "sim/io/bounded_text.hpp"

namespace tapalab::cli {

int run_compare(const Arguments& arguments) {
  OutputFlags output;
  std::optional<std::string> limit_text;
  std::vector<std::string> names;
  const auto app =
      make_app("compare",
               "Whether two results differ beyond their errors: of curve, histogram, retrieve or "
               "fit, quantity "
               "by quantity, or the verdicts of two runs of verify. Exits 1 where they do.",
               "tapalab curve --distances 1,1000 --engine exact --out a.json\n"
               "  tapalab curve --distances 1,1000 --engine mc --out b.json\n"
               "  tapalab compare a.json b.json --z 4");
  app->add_option("FILE", names, "two results in JSON")->type_name("A.json B.json");
  add_text(
      *app, "--z", limit_text,
      "how many standard errors, beyond bounds that hold always, count as a difference, above 0 "
      "(default 4)")
      ->type_name("Z");
  add_output_options(*app, output, "table or json");
  parse(*app, arguments.rest);
  if (names.size() != 2)
    throw InputError("compare: accepted: two files, as in tapalab compare a.json b.json");
  const Format format = output.chosen_format({"table", "json"});
  output.progress_mode();
  output.check_files();
  for (const std::string& name : names) output.keep(name, "one of the results");
  const double limit = limit_text ? parse_tolerance(*limit_text, "--z") : 4;
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
  const auto read = [&](const std::string& name) {
    return ResultText{name, read_bounded_text(name, most_bytes, "compare")};
  };
  const Comparison comparison = compare_results(read(names[0]), read(names[1]), limit);
  write_result(format == Format::json
                   ? json_text(comparison_json(comparison, provenance(arguments, 0)))
                   : comparison_table(comparison),
               output.out.value_or(""));
  return comparison.differing() == 0 ? 0 : 1;
}

}  // namespace tapalab::cli
