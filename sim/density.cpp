#include "sim/density.hpp"

#include <limits>

#include "sim/errors.hpp"
#include "sim/family.hpp"
#include "sim/io/token_reader.hpp"
#include "sim/marginal_special.hpp"

namespace tapalab {
namespace {

KeyEntry pair_key(const char* name, const char* value, const char* accepted, const char* meaning) {
  return {name, value, accepted, meaning, false, true};
}

struct PairKey {
  const char* name;
  ExactDecimal PairLaw::*member;
  bool (*valid)(const ExactDecimal&);
};

bool any(const ExactDecimal&) { return true; }
bool positive(const ExactDecimal& x) { return x.compare(0) > 0; }
bool correlation(const ExactDecimal& x) { return x.compare(-1) >= 0 && x.compare(1) <= 0; }

constexpr PairKey kPairKeys[] = {
    {"mean_q", &PairLaw::mean_q, any},        {"mean_k", &PairLaw::mean_k, any},
    {"scale_q", &PairLaw::scale_q, positive}, {"scale_k", &PairLaw::scale_k, positive},
    {"rho", &PairLaw::rho, correlation},
};

// Fills amplitude, phase and split of a density; `correlated` where it has the key rho.
template <class PairDensity>
void read_pairs(const SpecReader& spec, bool correlated, PairDensity& density) {
  const auto take = [&](const PairKey& key, const std::string& name, PairLaw& law) {
    if (!spec.has(name)) return false;
    const ExactDecimal value = spec.decimal(name);
    if (!key.valid(value)) spec.refuse(name);
    law.*key.member = value;
    return true;
  };
  for (const PairKey& key : kPairKeys) {
    const std::string name = key.name;
    if (name == "rho" && !correlated) continue;
    take(key, name, density.amplitude);
    take(key, name, density.phase);
    // A prefixed key overrides its part wherever it stands in the text.
    density.split = take(key, "a." + name, density.amplitude) || density.split;
    density.split = take(key, "p." + name, density.phase) || density.split;
  }
}

ExactDecimal read_degrees_of_freedom(const SpecReader& spec) {
  if (!spec.has("nu")) {
    throw InputError(spec.label("nu") + " is missing: student-t needs its degrees of freedom; " +
                     "accepted: a decimal from 2 + 1e-100 to 1e100");
  }
  const ExactDecimal nu = spec.decimal("nu");
  // At 2 and below the variance is infinite, and no scale makes it 1. Beyond 1e100 the law is the
  // Gaussian to 1e-96.
  static const Wide least("1e-100"), most("1e100");
  if (student_excess(nu) < least || nu.wide() > most) spec.refuse("nu");
  return nu;
}

// The law named `key`, with its degrees of freedom.
Marginal read_marginal(const SpecReader& spec, MarginalFamily family) {
  Marginal law{family, ExactDecimal(0)};
  if (family == MarginalFamily::student_t) law.nu = read_degrees_of_freedom(spec);
  return law;
}

DensityLaw read_product(const SpecReader& spec, MarginalFamily query) {
  ProductDensity density;
  density.name = marginal_name(query);
  const MarginalFamily key = spec.has("key") ? kMarginalFamilies[spec.word("key")] : query;
  density.query = read_marginal(spec, query);
  density.key = read_marginal(spec, key);
  if (spec.has("nu") && query != MarginalFamily::student_t && key != MarginalFamily::student_t) {
    throw InputError(spec.label("nu") + " says the degrees of freedom of student-t, which is not " +
                     "here; accepted: nu with student-t or key=student-t");
  }
  read_pairs(spec, false, density);
  return density;
}

template <MarginalFamily query>
DensityLaw read_product_of(const SpecReader& spec) {
  return read_product(spec, query);
}

DensityLaw read_gaussian(const SpecReader& spec) {
  const bool other_key =
      spec.has("key") && kMarginalFamilies[spec.word("key")] != MarginalFamily::gaussian;
  if (other_key) {
    if (spec.has("rho") || spec.has("a.rho") || spec.has("p.rho")) {
      throw InputError(spec.label("rho") +
                       ": a correlation does not say how a gaussian and another law depend on each "
                       "other; accepted: rho without key");
    }
    return read_product(spec, MarginalFamily::gaussian);
  }
  if (spec.has("nu"))
    throw InputError(spec.label("nu") + " says the degrees of freedom of student-t, which is not " +
                     "among the laws of this density; accepted: no nu");
  GaussianDensity density;
  read_pairs(spec, true, density);
  return density;
}

// Weights in all components or in none, positive, with the exact sum 1.
void check_weights(const SpecReader& spec, const MixtureDensity& density) {
  Wide sum = 0;
  std::size_t given = 0;
  for (const MixtureComponent& component : density.components) {
    if (!component.weight) continue;
    sum += component.weight->wide();
    ++given;
  }
  if (given == 0) return;
  const std::string accepted =
      "; accepted: in every component a weight > 0, with the sum 1, or none for equal weights";
  if (given < density.components.size()) {
    throw InputError(spec.label("weight") + ": " + std::to_string(given) + " of " +
                     std::to_string(density.components.size()) + " components have one" + accepted);
  }
  // Decimals round to Wide by half a unit each: a larger difference is one of the decimals.
  if (abs(sum - 1) > static_cast<unsigned>(given) * wide_epsilon()) {
    throw InputError(spec.label("weight") + ": the weights sum to " + sum.str(20) + accepted);
  }
}

DensityLaw read_mixture(const SpecReader& spec) {
  MixtureDensity density;
  for (const SpecReader& part : spec.parts("component")) {
    MixtureComponent component;
    if (part.has("weight")) {
      component.weight = part.decimal("weight");
      if (!positive(*component.weight)) part.refuse("weight");
    }
    GaussianDensity law;
    read_pairs(part, true, law);
    component.law = law;
    density.components.push_back(std::move(component));
  }
  check_weights(spec, density);
  return density;
}

template <RadialShape shape>
DensityLaw read_radial(const SpecReader& spec) {
  RadialDensity density;
  density.name = spec.name();
  density.shape = shape;
  if (shape == RadialShape::student_t) density.nu = read_degrees_of_freedom(spec);
  read_pairs(spec, true, density);
  return density;
}

DensityLaw read_empirical(const SpecReader& spec) {
  EmpiricalDensity density;
  density.file = spec.text("file");
  density.query_tensor = spec.text("q");
  density.key_tensor = spec.text("k");
  if (spec.has("file") && density.file.empty()) spec.refuse("file");
  density.head =
      static_cast<std::uint32_t>(spec.count("head", std::numeric_limits<std::uint32_t>::max()));
  constexpr PairRule rules[] = {PairRule::all, PairRule::causal, PairRule::shuffled,
                                PairRule::at_distance};
  density.pairs = rules[spec.word("pairs")];
  density.skip = spec.count("skip", std::numeric_limits<std::uint64_t>::max());
  density.bandwidth = spec.decimal("bandwidth");
  if (density.bandwidth.compare(0) < 0) spec.refuse("bandwidth");
  density.table = std::make_shared<const TokenTable>(read_tokens(
      density.file, density.query_tensor, density.key_tensor, density.head, density.skip));
  return density;
}

std::string marginal_words() {
  std::string words;
  for (const MarginalFamily family : kMarginalFamilies) {
    words += (words.empty() ? "" : "|") + std::string(marginal_name(family));
  }
  return words;
}

KeyEntry key_family(MarginalFamily query) {
  return {"key", std::string(marginal_name(query)), marginal_words(), "law of the key coordinates"};
}

KeyEntry degrees_of_freedom(MarginalFamily query) {
  return {"nu", "", "a decimal from 2 + 1e-100 to 1e100", "degrees of freedom of student-t",
          query == MarginalFamily::student_t};
}

template <MarginalFamily query>
Family<DensityLaw> product_family() {
  const MarginalFacts known = facts({query, ExactDecimal(3)});
  return {
      {std::string(marginal_name(query)),
       "independent coordinates with density " + std::string(known.density) +
           " at unit variance; " + (known.schwartz ? "Schwartz: " : "not Schwartz: ") +
           std::string(known.reason),
       {pair_key("mean_q", "0", "a decimal", "mean of each query coordinate"),
        pair_key("mean_k", "0", "a decimal", "mean of each key coordinate"),
        pair_key("scale_q", "1", "a decimal > 0", "standard deviation of each query coordinate"),
        pair_key("scale_k", "1", "a decimal > 0", "standard deviation of each key coordinate"),
        key_family(query), degrees_of_freedom(query)},
       {{"rho",
         "queries and keys of this family are independent of each other; gaussian has rho"}}},
      read_product_of<query>};
}

std::vector<KeyEntry> correlated_keys(std::vector<KeyEntry> others) {
  std::vector<KeyEntry> keys{
      pair_key("mean_q", "0", "a decimal", "mean of each query coordinate"),
      pair_key("mean_k", "0", "a decimal", "mean of each key coordinate"),
      pair_key("scale_q", "1", "a decimal > 0", "standard deviation of each query coordinate"),
      pair_key("scale_k", "1", "a decimal > 0", "standard deviation of each key coordinate"),
      pair_key("rho", "0", "a decimal from -1 to 1",
               "correlation of a query coordinate with its key coordinate")};
  for (KeyEntry& key : others) keys.push_back(std::move(key));
  return keys;
}

const std::vector<Family<DensityLaw>>& density_families() {
  static const std::vector<Family<DensityLaw>> table{
      {{std::string(GaussianDensity::name),
        "joint Gaussian, coordinates with different index independent",
        correlated_keys(
            {key_family(MarginalFamily::gaussian), degrees_of_freedom(MarginalFamily::gaussian)})},
       read_gaussian},
      {{std::string(MixtureDensity::name),
        "weighted sum of joint Gaussians, their keys separated by ';' (quote it in a shell): "
        "amplitude and phase hang together through the component; Schwartz",
        correlated_keys({{"weight", "", "a decimal > 0, in every component with the sum 1, or none",
                          "probability of the component; equal ones where none is given"}}),
        {},
        true},
       read_mixture},
      product_family<MarginalFamily::sech>(),
      product_family<MarginalFamily::logistic>(),
      product_family<MarginalFamily::bump>(),
      product_family<MarginalFamily::hermite2>(),
      product_family<MarginalFamily::laplace>(),
      product_family<MarginalFamily::uniform>(),
      product_family<MarginalFamily::student_t>(),
      product_family<MarginalFamily::rademacher>(),
      product_family<MarginalFamily::singular>(),
      {{"student-t-joint",
        "Student's t of all coordinates together, a Gaussian with one random scale: amplitude and "
        "phase depend on each other; not Schwartz: algebraic tails",
        correlated_keys({degrees_of_freedom(MarginalFamily::student_t)})},
       read_radial<RadialShape::student_t>},
      {{"quartic",
        "density exp(-|x|^4) of all coordinates together before rho and scales, at unit variance: "
        "isotropic and not independent; Schwartz",
        correlated_keys({})},
       read_radial<RadialShape::quartic>},
      {{std::string(EmpiricalDensity::name),
        "queries and keys of one head of a model, token by token",
        {{"file", "", "path of a .safetensors file; left out where q and k are .npy paths",
          "the file that holds the tensors"},
         {"q", "", "name of the query tensor, or a .npy path", "queries", true},
         {"k", "", "name of the key tensor, or a .npy path", "keys", true},
         {"head", "0", "an integer from 0 to the number of heads less 1", "which head"},
         {"pairs", "all", "all|causal|shuffled|at-distance",
          "which tokens are paired; a query comes after its key"},
         {"skip", "0", "an integer from 0 to the number of tokens less 1", "first tokens left out"},
         {"bandwidth", "0", "a decimal >= 0",
          "standard deviation of a Gaussian around every coordinate, in the file's units: the "
          "density is Schwartz for > 0; phases cost tokens^2 (tapa) or tokens (tapa-linear) a "
          "distance, rotary scores no pairs"}}},
       read_empirical},
  };
  return table;
}

}  // namespace

Density parse_density(std::string_view spec) {
  Density density;
  density.law = read_law("density", spec, density_families());
  density.spec = spec;
  return density;
}

const std::vector<NamedEntry>& density_catalogue() {
  static const std::vector<NamedEntry> catalogue = catalogue_of(density_families());
  return catalogue;
}

std::string_view density_name(const DensityLaw& law) {
  return std::visit([](const auto& density) { return density.name; }, law);
}

std::uint32_t dictated_head_dim(const DensityLaw& law) {
  if (const auto* full = std::get_if<FullGaussianDensity>(&law)) {
    return static_cast<std::uint32_t>(full->mean.size() / 2);
  }
  if (const auto* mixture = std::get_if<MixtureDensity>(&law)) {
    for (const MixtureComponent& component : mixture->components) {
      if (const auto* full = std::get_if<FullGaussianDensity>(&component.law)) {
        return static_cast<std::uint32_t>(full->mean.size() / 2);
      }
    }
  }
  if (const auto* tokens = std::get_if<EmpiricalDensity>(&law)) {
    return tokens->table ? tokens->table->head_dim : 0;
  }
  return 0;
}

}  // namespace tapalab
