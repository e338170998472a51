// A short campaign without libFuzzer, part of every test run. TAPALAB_FUZZ_ROUNDS (inputs for each
// target) and TAPALAB_FUZZ_SEED make it longer or another one.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "catch.hpp"
#include "fuzz/mutator.hpp"
#include "fuzz/targets.hpp"

using namespace tapalab::fuzz;

namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::vector<std::string> seeds_of(const std::string& target) {
  std::set<std::filesystem::path> files;  // in one order on every file system
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TAPALAB_FUZZ_CORPUS) + "/" + target)) {
    files.insert(entry.path());
  }
  std::vector<std::string> seeds;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

// "" where the input is read or refused as promised, else what happened.
std::string fault_of(const Target& target, const std::string& input) {
  try {
    target.run(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  } catch (const std::exception& fault) {
    return fault.what();
  }
  return "";
}

std::string hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

void campaign(const std::string& name) {
  const std::vector<std::string> seeds = seeds_of(name);
  REQUIRE(seeds.size() >= 3);
  for (const Target& target : targets()) {
    if (target.name != name) continue;
    for (const std::string& seed : seeds) CHECK(fault_of(target, seed) == "");
    Mutator mutator(seeds, setting("TAPALAB_FUZZ_SEED", 1));
    for (std::uint64_t left = setting("TAPALAB_FUZZ_ROUNDS", 2000); left > 0; --left) {
      const std::string input = mutator.next();
      const std::string fault = fault_of(target, input);
      if (fault.empty()) continue;
      INFO("input, in hexadecimal: " << hex(input));
      FAIL_CHECK(fault);
      return;  // one is enough to begin with
    }
    return;
  }
  FAIL("no target " << name);
}

}  // namespace

TEST_CASE("Changed .npy files are read or refused in one line") { campaign("npy"); }
TEST_CASE("Changed .safetensors files are read or refused in one line") { campaign("safetensors"); }
TEST_CASE("Changed configurations are read or refused in one line") { campaign("config"); }
TEST_CASE("Changed experiments in TOML and JSON are read or refused in one line") {
  campaign("experiment");
}
TEST_CASE("Changed texts of the command line are read or refused in one line") { campaign("spec"); }

TEST_CASE("A campaign finds a planted fault") {
  const std::vector<std::string> seeds{"tapa:alpha=0.1"};
  Mutator first(seeds, 7), second(seeds, 7);
  std::size_t changed = 0, shorter = 0, longer = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string input = first.next();
    CHECK(input == second.next());
    changed += input != seeds[0] ? 1 : 0;
    shorter += input.size() < seeds[0].size() ? 1 : 0;
    longer += input.size() > seeds[0].size() ? 1 : 0;
  }
  CHECK(changed > 150);
  CHECK(shorter > 20);
  CHECK(longer > 20);
  const Target planted{"planted", [](const std::uint8_t* data, std::size_t size) {
                         const std::string text(reinterpret_cast<const char*>(data), size);
                         if (text.find('"') != std::string::npos) throw Fault("planted");
                       }};
  bool found = false;
  for (int i = 0; i < 200 && !found; ++i) found = fault_of(planted, first.next()) == "planted";
  CHECK(found);
}
