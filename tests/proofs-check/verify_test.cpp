#include "proofs-check/verify.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "proofs-check/claim_formulas.hpp"
#include "proofs-check/report.hpp"
#include "proofs-check/report_page.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

/// A claim that comes out as it is told.
ClaimOutcome outcome(Verdict recorded, Verdict found, bool required) {
  ClaimOutcome o;
  o.claim.id = "made-up";
  o.claim.recorded = recorded;
  o.result.verdict = found;
  o.required = required;
  o.as_recorded = found != Verdict::not_run && found == recorded;
  return o;
}

int exit_code_of(const ClaimOutcome& o) {
  VerifyReport report;
  report.outcomes = {o};
  return report.exit_code();
}

std::string read_whole(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("the registry lists every claim once, with a check or a true reason") {
  const std::vector<std::string> ids = {"assumption-2.1",
                                        "theorem-2.1",
                                        "lemma-c.1",
                                        "lemma-c.2",
                                        "theorem-2.2",
                                        "theorem-2.3",
                                        "theorem-3.2",
                                        "theorem-3.3",
                                        "stationary-phase",
                                        "figure-1",
                                        "kernel",
                                        "retrieval",
                                        "limit-law",
                                        "distance-resolution",
                                        "clt-crossover",
                                        "finite-vocabulary",
                                        "rope-variance",
                                        "base-scaling",
                                        "figure-1-consistency"};
  std::set<std::string> seen;
  for (const Claim& claim : claim_registry()) {
    INFO(claim.id);
    CHECK(seen.insert(claim.id).second);
    CHECK_FALSE(claim.statement.empty());
    CHECK_FALSE(claim.hypotheses.empty());
    CHECK_FALSE(claim.source.empty());
    CHECK(static_cast<bool>(claim.check) == claim.not_run_reason.empty());
    CHECK(static_cast<bool>(claim.check) == (claim.recorded != Verdict::not_run));
    CHECK(static_cast<bool>(claim.check) != claim.overturned_by.empty());
    CHECK(claim_formula(claim.id).starts_with("<math"));
    CHECK(claim_formula(claim.id).ends_with("</math>"));
    CHECK(find_claim(claim.id) == &claim);
  }
  CHECK(claim_formula("theorem-9.9").empty());
  CHECK(seen == std::set<std::string>(ids.begin(), ids.end()));
  CHECK(find_claim("theorem-9.9") == nullptr);
}

TEST_CASE("exit code: 0 only where every verdict that ran is the recorded one") {
  CHECK(exit_code_of(outcome(Verdict::confirmed, Verdict::confirmed, false)) == 0);
  CHECK(exit_code_of(outcome(Verdict::confirmed, Verdict::confirmed, true)) == 0);
  CHECK(exit_code_of(outcome(Verdict::confirmed, Verdict::refuted, false)) == 1);
  CHECK(exit_code_of(outcome(Verdict::confirmed, Verdict::inconclusive, false)) == 1);
  CHECK(exit_code_of(outcome(Verdict::confirmed, Verdict::not_run, false)) == 0);
  CHECK(exit_code_of(outcome(Verdict::confirmed, Verdict::not_run, true)) == 1);
  CHECK(exit_code_of(outcome(Verdict::not_run, Verdict::not_run, false)) == 0);
  CHECK(exit_code_of(outcome(Verdict::not_run, Verdict::not_run, true)) == 1);
}

TEST_CASE("unknown claims are refused by name") {
  VerifyOptions options;
  options.claims = {"theorem-9.9"};
  CHECK_THROWS_AS(run_verify(options), InputError);
  options.claims = {"kernel"};
  options.require = {"theorem-9.9"};
  CHECK_THROWS_AS(run_verify(options), InputError);
  options.require.clear();
  options.activations = "/no/such/file.safetensors";
  CHECK_THROWS_AS(run_verify(options), InputError);
}

TEST_CASE("claims run in the registry's order, required ones too, and progress names each") {
  VerifyOptions options;
  options.claims = {"theorem-2.3"};
  options.require = {"kernel"};
  options.effort = Effort::quick;
  std::vector<std::string> said;
  options.progress = [&](const VerifyProgress& p) {
    CHECK(p.total == 2);
    CHECK(p.done == said.size());
    said.emplace_back(p.claim);
  };
  const VerifyReport report = run_verify(options);
  CHECK(said == std::vector<std::string>{"theorem-2.3", "kernel", ""});
  CHECK(report.exit_code() == 1);  // kernel is required and has no check
  CHECK(report.outcomes.at(1).failed());
  CHECK_FALSE(report.outcomes.at(0).failed());
  CHECK_FALSE(report.outcomes.at(1).result.reason.empty());
}

TEST_CASE("a report is whole, self-contained and holds what was found") {
  VerifyOptions options;
  options.claims = {"theorem-3.3", "kernel"};
  options.effort = Effort::quick;
  const VerifyReport report = run_verify(options);
  CHECK(report.exit_code() == 0);
  const auto folder = std::filesystem::temp_directory_path() / "tapalab-report-test";
  std::filesystem::remove_all(folder);
  const auto files = write_report({report, {}, true}, {{"command", "test <&>"}}, folder.string());
  CHECK(files.figures_missing.empty());
  const auto& written = files.written;
  CHECK(written.size() == 3);  // page, one figure's data, verify.json
  for (const auto& path : written) CHECK(std::filesystem::file_size(path) > 0);
  const std::string page = read_whole(written.front());
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("src=") == std::string::npos);
  CHECK(page.find("href=\"data:text/csv") != std::string::npos);
  CHECK(page.find("href=\"http") == std::string::npos);
  CHECK(page.find("url(http") == std::string::npos);
  CHECK(page.find("<svg") != std::string::npos);
  CHECK(page.find("id=\"theorem-3.3\"") != std::string::npos);
  CHECK(page.find("<munder><mo>liminf</mo>") != std::string::npos);
  CHECK(page.find("test &lt;&amp;&gt;") != std::string::npos);
  CHECK(page.find("What did not run, and why") != std::string::npos);

  const auto json = nlohmann::json::parse(read_whole(written.back()));
  CHECK(json.at("schema") == "tapalab/verify/1");
  CHECK(json.at("passed") == true);
  // what was written is read back whole
  nlohmann::ordered_json provenance;
  const VerifyReport back = read_verify(read_whole(written.back()), "verify.json", provenance);
  CHECK(verify_json(back, provenance) == verify_json(report, {{"command", "test <&>"}}));
  const auto& claim = json.at("claims").at(0);
  CHECK(claim.at("verdict") == "corrected");
  CHECK(claim.at("witness").at("amplitude_dim") == "4");
  CHECK(claim.at("witness").at("covariance").at(0).at(1) == "0.96");
  CHECK(json.at("claims").at(1).at("verdict") == "not-run");
  CHECK(json.at("claims").at(1).at("rigor").is_null());
  // nothing but the files named is left in the folder
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 3);
  std::filesystem::remove_all(folder);
  CHECK_THROWS_AS(write_report({report, {}, true}, {}, "/proc/no-such-folder"), InputError);
}

TEST_CASE("figures keep their references apart in one page") {
  const std::string svg = inline_svg(
      "<?xml version=\"1.0\"?><svg><title>Gnuplot</title><desc>x</desc><defs><path "
      "id=\"a\"/></defs><use xlink:href='#a'/>"
      "<g clip-path=\"url(#a)\"/></svg>\n",
      "bias-", "a < b");
  CHECK(svg ==
        "<svg><title>a &lt; b</title><defs><path id=\"bias-a\"/></defs><use xlink:href='#bias-a'/>"
        "<g clip-path=\"url(#bias-a)\"/></svg>");
  CHECK(html_escape("a<b & \"c\"'") == "a&lt;b &amp; &quot;c&quot;&#39;");
}

TEST_CASE("the table says what failed and why") {
  VerifyReport report;
  report.outcomes = {outcome(Verdict::confirmed, Verdict::inconclusive, false)};
  report.outcomes.front().claim.check = [](const ClaimContext&) { return ClaimResult{}; };
  report.outcomes.front().result.reason = "engines differ";
  const std::string table = verify_table(report);
  CHECK(table.find("made-up") != std::string::npos);
  CHECK(table.find("NO") != std::string::npos);
  CHECK(table.find("engines differ") != std::string::npos);
}
