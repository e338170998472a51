// Each check's evidence holds, and a wrong formula changes its verdict.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "catch.hpp"
#include "proofs-check/assumption_2_1.hpp"
#include "proofs-check/claim.hpp"
#include "proofs-check/theorem_2_2.hpp"
#include "proofs-check/theorem_3_2.hpp"
#include "proofs-check/theorem_3_3.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

ClaimContext quick(std::uint64_t seed = 1) {
  ClaimContext context;
  context.effort = Effort::quick;
  context.seed = seed;
  context.activations = TAPALAB_TEST_DATA "/qk.safetensors";
  return context;
}

void check_whole(const ClaimResult& result, Verdict verdict) {
  INFO(result.reason);
  CHECK(result.verdict == verdict);
  CHECK(result.rigor);
  CHECK_FALSE(result.scope.empty());
  std::set<std::string> engines;
  for (const Evidence& row : result.evidence) {
    INFO(row.engine << ": " << row.quantity << ": predicted " << row.predicted << ", observed "
                    << row.observed << " +- " << row.error);
    CHECK(row.holds);
    CHECK_FALSE(row.predicted.empty());
    CHECK_FALSE(row.observed.empty());
    CHECK_FALSE(row.error.empty());
    engines.insert(row.engine);
  }
  CHECK(engines.size() >= 2);
}

std::string witness_value(const ClaimResult& result, const std::string& name) {
  for (const WitnessField& field : result.witness)
    if (field.name == name) return field.rows.front().front();
  return {};
}

void write_bytes(std::ofstream& out, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) out.put(static_cast<char>(value >> (8 * i)));
}

/// A .safetensors with one head of independent standard normals: Assumption 2.1 holds.
std::string independent_activations(std::uint32_t tokens, std::uint32_t dim) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "tapalab-independent.safetensors").string();
  std::ofstream out(path, std::ios::binary);
  const std::size_t bytes = std::size_t{4} * tokens * dim;
  const std::string shape =
      "\"dtype\":\"F32\",\"shape\":[1," + std::to_string(tokens) + "," + std::to_string(dim) + "]";
  const std::string header = "{\"x.q\":{" + shape + ",\"data_offsets\":[0," +
                             std::to_string(bytes) + "]},\"x.k\":{" + shape +
                             ",\"data_offsets\":[" + std::to_string(bytes) + "," +
                             std::to_string(2 * bytes) + "]}}";
  write_bytes(out, header.size(), 8);
  out << header;
  std::mt19937_64 random(42);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < 2 * bytes / 4; ++i) {
    const float x = normal(random);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, 4);
    write_bytes(out, bits, 4);
  }
  return path;
}

}  // namespace

TEST_CASE("theorem-3.2: confirmed, with the same verdict for three seeds") {
  for (const std::uint64_t seed : {1, 2, 3})
    check_whole(check_theorem_3_2(quick(seed)), Verdict::confirmed);
}

TEST_CASE("theorem-3.2: the scale of the printed proof changes the verdict") {
  Theorem32Options printed;
  printed.scale_factor = 2;
  CHECK(check_theorem_3_2(quick(), printed).verdict == Verdict::inconclusive);
}

TEST_CASE("theorem-3.3: corrected, with the same verdict for three seeds") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const ClaimResult result = check_theorem_3_3(quick(seed));
    check_whole(result, Verdict::corrected);
    CHECK_FALSE(result.correction.empty());
    CHECK(witness_value(result, "amplitude_dim") == "4");
    CHECK(result.witness.at(1).name == "covariance");
    CHECK(result.witness.at(1).rows.size() == 8);
  }
}

TEST_CASE(
    "theorem-3.3: a limit without its factor 1/2, or blocks that are not opposed enough, "
    "change the verdict") {
  Theorem33Options wrong;
  wrong.limit_factor = "1";
  CHECK(check_theorem_3_3(quick(), wrong).verdict == Verdict::inconclusive);
  Theorem33Options none;
  none.r = "0";  // E a^2 = sigma_0^2: the printed bound holds in the limit
  CHECK(check_theorem_3_3(quick(), none).verdict == Verdict::inconclusive);
  Theorem33Options singular;
  singular.r = "1";
  CHECK(check_theorem_3_3(quick(), singular).verdict == Verdict::inconclusive);
}

TEST_CASE("theorem-2.2: corrected, with a witness that meets the hypotheses", "[slow]") {
  const ClaimResult result = check_theorem_2_2(quick());
  check_whole(result, Verdict::corrected);
  const std::string base = witness_value(result, "base");
  const std::uint64_t near = std::stoull(witness_value(result, "near_distance"));
  const std::uint64_t far = std::stoull(witness_value(result, "distance"));
  CHECK(near > 1);
  CHECK(static_cast<double>(near) < std::pow(std::stod(base), 0.25) / 8);
  CHECK(static_cast<double>(far) > std::stod(base));
  CHECK(std::stod(witness_value(result, "gap")) < 0.125);
  const auto rows_with = [&](const std::string& text) {
    return std::count_if(result.evidence.begin(), result.evidence.end(), [&](const Evidence& row) {
      return row.quantity.find(text) != std::string::npos;
    });
  };
  const std::vector<CertifiedRecurrence> recurrences = certified_recurrences(result.evidence);
  for (const char* known : {"75860", "64826091", "598837", "30820001"}) {
    CHECK(rows_with(known) >= 2);
    CHECK(std::count_if(recurrences.begin(), recurrences.end(),
                        [&](const auto& found) { return found.far_distance == known; }) == 1);
  }
  CHECK(std::count_if(recurrences.begin(), recurrences.end(),
                      [](const auto& found) { return found.far_distance.size() > 100; }) == 2);
}

TEST_CASE("recurrences are read from rows that certify one, and from no other") {
  const Evidence row{"ball",         "gap, b = 500000, D = 64, radians, distances 3 and 14568507",
                     "< 0.125",      "0.11860725400048335",
                     "2e-19 (ball)", true};
  Evidence exact = row, failing = row, limit = row, above = row;
  exact.engine = "exact";
  failing.holds = false;
  limit.quantity = "limit of the gap as D -> infinity, b = 500000, radians, least over near";
  above.predicted = "> 0.125";
  const auto found = certified_recurrences({exact, failing, row, limit, above});
  REQUIRE(found.size() == 1);
  CHECK(found[0].setting.base == "500000");
  CHECK(found[0].setting.head_dim == 64);
  CHECK(found[0].setting.angle == AngleUnit::radians);
  CHECK(found[0].near_distance == 3);
  CHECK(found[0].far_distance == "14568507");
  CHECK(found[0].gap == "0.11860725400048335");
}

TEST_CASE("theorem-2.2: another bound changes the verdict") {
  Theorem22Options options;
  options.scan_length = 1'000'000;
  options.bound = "-0.9";  // no gap is that low: nothing is refuted
  CHECK(check_theorem_2_2(quick(), options).verdict == Verdict::inconclusive);
  options.bound = "0.45";  // the limit is not that high: nothing is repaired
  CHECK(check_theorem_2_2(quick(), options).verdict == Verdict::inconclusive);
}

TEST_CASE("assumption-2.1: refuted on real activations, with the same verdict for three seeds",
          "[slow]") {
  for (const std::uint64_t seed : {1, 2, 3})
    check_whole(check_assumption_2_1(quick(seed)), Verdict::refuted);
}

TEST_CASE("assumption-2.1: not rejected on independent normals, for which it holds") {
  ClaimContext context = quick();
  context.activations = independent_activations(1024, 16);
  const ClaimResult result = check_assumption_2_1(context);
  CHECK(result.verdict == Verdict::inconclusive);
  std::filesystem::remove(context.activations);
}

TEST_CASE("assumption-2.1: without a file it does not run, and a broken file is refused") {
  ClaimContext context = quick();
  context.activations.clear();
  const ClaimResult result = check_assumption_2_1(context);
  CHECK(result.verdict == Verdict::not_run);
  CHECK_FALSE(result.reason.empty());
  context.activations = TAPALAB_TEST_DATA "/tapa_gaussian.json";
  CHECK_THROWS_AS(check_assumption_2_1(context), InputError);
  context.activations = TAPALAB_TEST_DATA "/no-such-file.safetensors";
  const ClaimResult missing = check_assumption_2_1(context);
  CHECK(missing.verdict == Verdict::not_run);
  CHECK(missing.reason.find("no-such-file") != std::string::npos);
}
