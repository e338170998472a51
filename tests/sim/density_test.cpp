#include "sim/density.hpp"

#include <random>
#include <string>

#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

const std::string kTokens = std::string(TAPALAB_TEST_DATA) + "/qk.safetensors";

std::string refusal(const std::string& spec) {
  try {
    parse_density(spec);
  } catch (const InputError& error) {
    const std::string message = error.what();
    CHECK(message.find('\n') == std::string::npos);
    CHECK(message.size() < 1000);
    return message;
  }
  FAIL("accepted: " << spec.substr(0, 100));
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

GaussianDensity gaussian(const std::string& spec) {
  return std::get<GaussianDensity>(parse_density(spec).law);
}

ExactDecimal decimal(const std::string& text) { return ExactDecimal::parse(text, "entry"); }

FullGaussianDensity full(std::size_t size, const std::vector<std::string>& covariance) {
  FullGaussianDensity density;
  density.mean.assign(size, ExactDecimal(0));
  density.covariance.rows = density.covariance.cols = size;
  for (const std::string& entry : covariance) density.covariance.entries.push_back(decimal(entry));
  return density;
}

std::string covariance_refusal(const FullGaussianDensity& density, std::uint32_t head_dim) {
  try {
    lower(density, head_dim);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// The entry of the lowered covariance; 0 where none is stored.
Wide entry(const GaussianModel& model, std::uint32_t row, std::uint32_t col) {
  for (const CovarianceTerm& term : model.covariance) {
    if (term.row == row && term.col == col) return term.value;
  }
  return Wide(0);
}

}  // namespace

TEST_CASE(
    "keys without prefix set both parts, and a prefixed key overrides its part in any order") {
  for (const char* spec :
       {"gaussian:rho=0.25,p.rho=-0.5,scale_q=2", "gaussian:p.rho=-0.5,scale_q=2,rho=0.25"}) {
    const GaussianDensity density = gaussian(spec);
    CHECK(density.split);
    CHECK(density.amplitude.rho.text() == "0.25");
    CHECK(density.phase.rho.text() == "-0.5");
    CHECK(density.amplitude.scale_q.text() == "2");
    CHECK(density.phase.scale_q.text() == "2");
    CHECK(density.phase.scale_k == ExactDecimal(1));
  }
  CHECK(!gaussian("gaussian").split);
  CHECK(gaussian("gaussian").amplitude.rho == ExactDecimal(0));
  CHECK(gaussian("gaussian:a.mean_k=1.5").amplitude.mean_k.text() == "1.5");
  CHECK(gaussian("gaussian:a.mean_k=1.5").phase.mean_k == ExactDecimal(0));
}

TEST_CASE("values out of range and unknown or repeated keys are refused") {
  for (const char* spec :
       {"gaussian:rho=1.5", "gaussian:rho=-1.0000001", "gaussian:a.rho=2", "gaussian:scale_q=0",
        "gaussian:p.scale_k=-1", "gaussian:scale_q=inf", "gaussian:mean_q=nan",
        "gaussian:rho=", "gaussian:rho=0.1,rho=0.2", "gaussian:a.rho=0.1,a.rho=0.2",
        "gaussian:b.rho=0", "gaussian:a.=0", "gaussian:a.a.rho=0", "gaussian:bandwidth=1"}) {
    const std::string message = refusal(spec);
    INFO(message);
    CHECK(contains(message, "accepted"));
  }
  CHECK(contains(refusal("gaussian:roh=0.1"), "did you mean rho?"));
  CHECK(contains(refusal("gausian"), "did you mean gaussian?"));
  CHECK(contains(refusal("gauss"), "did you mean gaussian?"));
  CHECK_FALSE(contains(refusal("ga"), "did you mean"));
  CHECK(contains(refusal("gaussian:rho=1." + std::string(90, '0') + "1"), "from -1 to 1"));
  for (const char* unbuilt : {"cauchy", "levy"}) {
    CHECK(contains(refusal(unbuilt), "unknown name"));
  }
  CHECK_NOTHROW(parse_density("gaussian:rho=-1"));
  CHECK_NOTHROW(parse_density("gaussian:rho=1"));
}

TEST_CASE("a Gaussian lowers to means and the covariances of each pair") {
  const GaussianModel model =
      lower(gaussian("gaussian:rho=0.25,scale_q=2,p.scale_k=3,p.mean_k=0.5,a.mean_q=-1"),
            parse_encoding("tapa:share=0.25"), 8);
  CHECK(model.head_dim == 8);
  REQUIRE(model.mean.size() == 16);
  CHECK(model.covariance.size() == 24);
  CHECK(model.mean[1] == -1);
  CHECK(model.mean[2] == 0);
  CHECK(model.mean[9] == 0);
  CHECK(model.mean[10] == Wide(0.5));
  CHECK(entry(model, 1, 1) == 4);
  CHECK(entry(model, 9, 9) == 1);
  CHECK(entry(model, 10, 10) == 9);
  CHECK(entry(model, 9, 1) == Wide(0.5));
  CHECK(entry(model, 10, 2) == Wide(1.5));
  CHECK(entry(model, 10, 1) == 0);
}

TEST_CASE("prefixed keys need an encoding with amplitude and phase coordinates") {
  const GaussianDensity split = gaussian("gaussian:a.rho=0.25");
  CHECK_THROWS_AS(lower(split, parse_encoding("rope"), 8), InputError);
  CHECK_THROWS_AS(lower(split, parse_encoding("nope"), 8), InputError);
  CHECK_THROWS_AS(lower(split, Encoding{"tapa-general", TapaGeneralEncoding{}}, 8), InputError);
  CHECK_NOTHROW(lower(split, parse_encoding("tapa-linear"), 8));
  CHECK_NOTHROW(lower(gaussian("gaussian:rho=0.25"), parse_encoding("rope"), 8));
  CHECK_THROWS_AS(lower(gaussian("gaussian"), parse_encoding("rope"), 0), InputError);
  CHECK_THROWS_AS(lower(gaussian("gaussian"), parse_encoding("rope"), 4000000000u), InputError);
}

TEST_CASE("a full covariance keeps its lower triangle") {
  FullGaussianDensity density = full(2, {"2", "-0.5", "-0.5", "1"});
  density.mean[1] = decimal("0.3");
  const GaussianModel model = lower(density, 1);
  CHECK(model.covariance.size() == 3);
  CHECK(entry(model, 1, 0) == Wide(-0.5));
  CHECK(entry(model, 0, 0) == 2);
  CHECK(model.mean[1] == Wide(3) / 10);
  CHECK(dictated_head_dim(density) == 1);
  CHECK(dictated_head_dim(GaussianDensity{}) == 0);
}

TEST_CASE("what is no covariance is refused: size, symmetry, definiteness") {
  CHECK(contains(covariance_refusal(full(2, {"1", "0.5", "0.5000000001", "1"}), 1), "symmetric"));
  CHECK(contains(covariance_refusal(full(2, {"1", "2", "2", "1"}), 1), "semidefinite"));
  CHECK(contains(covariance_refusal(full(2, {"-1", "0", "0", "1"}), 1), "semidefinite"));
  CHECK(contains(covariance_refusal(full(2, {"0", "1e-9000", "1e-9000", "1"}), 1), "variance 0"));
  CHECK(contains(covariance_refusal(full(2, {"1", "0", "0", "1"}), 2), "mean has 2"));
  FullGaussianDensity short_matrix = full(4, {"1"});
  short_matrix.covariance.rows = short_matrix.covariance.cols = 1;
  CHECK(contains(covariance_refusal(short_matrix, 2), "4 x 4"));
  CHECK(contains(covariance_refusal(FullGaussianDensity{}, 0), "head dimension"));
}

TEST_CASE("definiteness is judged at any scale and to the last digits") {
  CHECK(covariance_refusal(full(2, {"0", "0", "0", "0"}), 1) == "accepted");
  CHECK(covariance_refusal(full(2, {"1", "0.1", "0.1", "0.01"}), 1) == "accepted");
  CHECK(
      contains(covariance_refusal(
                   full(2, {"1", "0.1", "0.1", "0.00999999999999999999999999999999999999999"}), 1),
               "semidefinite"));
  CHECK(contains(covariance_refusal(full(2, {"1e300", "0", "0", "1e-300"}), 1), "accepted"));
  CHECK(contains(covariance_refusal(full(4, {"1e300", "0", "0", "0",            //
                                             "0", "1e-300", "0", "1.001e-300",  //
                                             "0", "0", "1", "0",                //
                                             "0", "1.001e-300", "0", "1e-300"}),
                                    2),
                 "semidefinite"));
}

TEST_CASE("Gram matrices of integers pass at every rank, and fail with one eigenvalue below 0") {
  std::mt19937_64 random(5);
  for (std::size_t size : {2u, 8u, 24u}) {
    for (std::size_t rank = 1; rank <= size; rank += size / 2) {
      std::vector<std::vector<long>> factor(size, std::vector<long>(rank));
      for (auto& row : factor) {
        for (long& x : row) x = static_cast<long>(random() % 19) - 9;
      }
      std::vector<std::string> good, bad;
      for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
          long sum = 0;
          for (std::size_t l = 0; l < rank; ++l) sum += factor[i][l] * factor[j][l];
          good.push_back(std::to_string(sum));
          // Less 1e-30 on one diagonal entry: below 0 wherever the matrix is singular.
          std::string lower_entry = std::to_string(sum);
          if (i == 0 && j == 0) {
            lower_entry = std::to_string(sum - 1) + "." + std::string(30, '9');
          }
          bad.push_back(lower_entry);
        }
      }
      INFO(size << " of rank " << rank);
      const auto head_dim = static_cast<std::uint32_t>(size / 2);
      CHECK(covariance_refusal(full(size, good), head_dim) == "accepted");
      if (rank < size && good[0] != "0") {
        CHECK(contains(covariance_refusal(full(size, bad), head_dim), "semidefinite"));
      }
    }
  }
}

TEST_CASE("an empirical density holds its tokens") {
  const Density density = parse_density("empirical:file=\"" + kTokens +
                                        "\",q=layers.3.q,k=layers.3.k,skip=5,pairs=causal");
  const auto& tokens = std::get<EmpiricalDensity>(density.law);
  REQUIRE(tokens.table);
  CHECK(tokens.file == kTokens);
  CHECK(tokens.pairs == PairRule::causal);
  CHECK(tokens.skip == 5);
  CHECK(tokens.head == 0);
  CHECK(tokens.table->queries.size() == tokens.table->tokens * tokens.table->head_dim);
  CHECK(dictated_head_dim(density.law) == tokens.table->head_dim);
  CHECK(density_name(density.law) == "empirical");
  const Density all = parse_density("empirical:file=" + kTokens + ",q=layers.3.q,k=layers.3.k");
  CHECK(std::get<EmpiricalDensity>(all.law).table->tokens == tokens.table->tokens + 5);
  CHECK(std::get<EmpiricalDensity>(all.law).pairs == PairRule::all);
}

TEST_CASE("faults of an empirical specification are refused") {
  const std::string head = "empirical:file=" + kTokens + ",q=layers.3.q,k=layers.3.k";
  CHECK(contains(refusal("empirical"), "q is missing"));
  CHECK(contains(refusal("empirical:q=a.npy"), "k is missing"));
  CHECK(contains(refusal(head + ",pairs=casual"), "did you mean causal?"));
  CHECK(contains(refusal(head + ",head=-1"), "head"));
  CHECK(contains(refusal(head + ",head=99"), "head"));
  CHECK(contains(refusal(head + ",head=4294967296"), "head"));
  CHECK(contains(refusal(head + ",skip=1.5"), "skip"));
  CHECK(contains(refusal(head + ",skip=18446744073709551615"), "skip"));
  CHECK(contains(refusal(head + ",width=0.1"), "unknown key"));
  CHECK(contains(refusal("empirical:file=/nonexistent.safetensors,q=a,k=b"), "/nonexistent"));
  CHECK(contains(refusal("empirical:file=" + kTokens + ",q=layers.999.q,k=layers.3.k"),
                 "layers.999.q"));
  CHECK(contains(refusal("empirical:file=\"\",q=a.npy,k=b.npy"), "file"));
  CHECK(contains(refusal("empirical:q=/nonexistent/a.npy,k=/nonexistent/b.npy"),
                 "/nonexistent/a.npy"));
}

TEST_CASE("nothing but InputError escapes from random density specifications") {
  std::mt19937_64 random(99);
  const std::vector<std::string> parts{"gaussian", "empirical", ":",
                                       ",",        "=",         ";",
                                       "\"",       "\\",        "rho",
                                       "mean_q",   "scale_k",   "a.",
                                       "p.",       "file",      "q",
                                       "k",        "head",      "skip",
                                       "pairs",    "all",       "0.5",
                                       "-1",       "1e999999",  "1",
                                       ".",        "\xFF",      std::string(1, '\0'),
                                       "\n",       "/dev/null", ".npy",
                                       "/",        "0x1",       "a.rho=0.5",
                                       ",p.rho=1"};
  int accepted = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string spec = random() % 4 == 0 ? "" : random() % 4 == 0 ? "empirical" : "gaussian";
    if (random() % 2 == 0) spec += ":" + parts[8 + random() % 11] + "=";
    for (std::uint64_t n = random() % 6; n > 0; --n) spec += parts[random() % parts.size()];
    try {
      parse_density(spec);
      ++accepted;
    } catch (const InputError& error) {
      const std::string message = error.what();
      if (message.find('\n') != std::string::npos) FAIL_CHECK("two lines: " << message);
    }
  }
  CHECK(accepted > 100);
}
