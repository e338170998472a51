#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/experiment.hpp"
#include "analysis/writers/json.hpp"
#include "analysis/writers/table.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/provenance.hpp"
#include "proofs-check/claim.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::cli {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

struct Listing {
  Json items = Json::array();
  Row header;
  std::vector<Row> rows;
};

Listing list_catalogue(const std::vector<NamedEntry>& catalogue) {
  Listing listing;
  listing.header = {"name", "key", "default", "accepted", "meaning"};
  for (const auto& entry : catalogue) {
    Json keys = Json::array();
    listing.rows.push_back({entry.name, "", "", "", entry.meaning});
    for (const auto& key : entry.keys) {
      const bool has_default = !key.default_value.empty();
      keys.push_back({{"name", key.name},
                      {"default", has_default ? Json(key.default_value) : Json(nullptr)},
                      {"accepted", key.accepted},
                      {"meaning", key.meaning},
                      {"required", key.required},
                      {"prefixable", key.prefixable}});
      const std::string name = key.prefixable ? "[a.|p.]" + key.name : key.name;
      listing.rows.push_back(
          {"", name, key.required ? "(required)" : key.default_value, key.accepted, key.meaning});
    }
    listing.items.push_back(
        {{"name", entry.name}, {"meaning", entry.meaning}, {"keys", std::move(keys)}});
  }
  return listing;
}

Listing list_claims() {
  Listing listing;
  listing.header = {"id", "recorded", "source", "statement"};
  for (const auto& claim : claim_registry()) {
    listing.items.push_back({{"id", claim.id},
                             {"source", claim.source},
                             {"statement", claim.statement},
                             {"hypotheses", claim.hypotheses},
                             {"recorded", to_string(claim.recorded)}});
    listing.rows.push_back(
        {claim.id, std::string(to_string(claim.recorded)), claim.source, claim.statement});
  }
  return listing;
}

Listing list_engines() {
  Listing listing;
  listing.header = {"name", "meaning"};
  for (const auto& engine : engine_catalogue()) {
    listing.items.push_back({{"name", engine.name}, {"meaning", engine.meaning}});
    listing.rows.push_back({engine.name, engine.meaning});
  }
  return listing;
}

Listing listing_of(const std::string& kind) {
  if (kind == "encodings") return list_catalogue(encoding_catalogue());
  if (kind == "densities") return list_catalogue(density_catalogue());
  if (kind == "claims") return list_claims();
  if (kind == "engines") return list_engines();
  throw InputError(
      unknown_name("list", "kind", kind, {"encodings", "densities", "claims", "engines"}));
}

}  // namespace

int run_list(const Arguments& arguments) {
  std::optional<std::string> kind;
  OutputFlags output;
  const auto app = make_app("list", "What there is: encodings, densities, claims or engines.",
                            "tapalab list encodings --format json");
  add_text(*app, "kind", kind, "encodings, densities, claims or engines")->type_name("KIND");
  add_output_options(*app, output, "table or json");
  parse(*app, arguments.rest);
  if (!kind) {
    throw InputError("list: a kind is needed; accepted: encodings, densities, claims, engines");
  }
  const Format format = output.chosen_format({"table", "json"});
  output.progress_mode();
  output.check_files();
  const Listing listing = listing_of(*kind);
  const std::vector<bool> all_left(listing.header.size(), true);
  const std::string text = format == Format::json
                               ? json_text({{"schema", "tapalab/list/1"},
                                            {"provenance", provenance(arguments, 0)},
                                            {"kind", *kind},
                                            {"items", listing.items}})
                               : aligned_table(listing.header, listing.rows, all_left);
  write_result(text, output.out.value_or(""));
  return kDone;
}

}  // namespace tapalab::cli
