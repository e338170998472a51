// Random command lines of `curve`: whatever they are, the program ends by itself with a documented
// exit code, says what is wrong in one line, and prints nothing where it refuses.
#include <random>

#include "catch.hpp"
#include "cli/run_program.hpp"

using namespace tapalab::test;

namespace {

// Words that are valid somewhere; none asks for more than a moment's work.
const std::vector<std::string> kWords{"--encoding",
                                      "tapa",
                                      "tapa:alpha=0.2",
                                      "rope",
                                      "tapa:law=linear",
                                      "--density",
                                      "gaussian:rho=0.5",
                                      "laplace",
                                      "--distances",
                                      "1,2",
                                      "log:1:9:3",
                                      "2^63-1",
                                      "--head-dim",
                                      "8",
                                      "16",
                                      "--engine",
                                      "exact",
                                      "mc",
                                      "auto",
                                      "--samples=100",
                                      "--seed",
                                      "7",
                                      "--confidence",
                                      "0.9",
                                      "--format",
                                      "json",
                                      "csv",
                                      "--sweep",
                                      "alpha=lin:0.1:0.2:2",
                                      "--quiet",
                                      "--explain",
                                      "--seq-len",
                                      "--threads",
                                      "2",
                                      "--rel-tol",
                                      "0.5",
                                      "--help",
                                      "-h",
                                      "--",
                                      "",
                                      "=",
                                      "\xff",
                                      "--spec",
                                      "/dev/null"};

class Lines {
 public:
  explicit Lines(std::uint64_t seed) : random_(seed) {}
  std::vector<std::string> next() {
    // Begins valid and small, so that some lines are accepted; then random words follow.
    std::vector<std::string> line{"curve", "--head-dim", "8", "--distances", "1"};
    if (random_() % 3 == 0) line.resize(1);
    for (std::size_t left = random_() % 5; left > 0; --left) {
      std::string word = kWords[random_() % kWords.size()];
      if (random_() % 4 == 0) word.insert(random_() % (word.size() + 1), 1, byte());
      line.push_back(std::move(word));
    }
    return line;
  }

 private:
  char byte() {
    const auto value = static_cast<char>(random_() % 255 + 1);
    return value == '9' ? '0' : value;  // no larger counts
  }
  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("Random command lines end with a documented exit code and at most one line of blame") {
  Lines lines(20260101);
  int accepted = 0, refused = 0;
  for (int i = 0; i < 150; ++i) {
    const std::vector<std::string> line = lines.next();
    std::string shown;
    for (const auto& word : line) shown += "[" + word + "] ";
    INFO(shown);
    const ProgramResult result = run_program(line);
    INFO(result.err);
    CHECK((result.code == 0 || result.code == 2 || result.code == 3 || result.code == 4));
    CHECK(result.err.find('\x1b') == std::string::npos);
    if (result.code == 2) {
      ++refused;
      CHECK(result.out.empty());
      CHECK(count_lines(result.err) == 1);
      CHECK(result.err.rfind("tapalab: ", 0) == 0);
      CHECK(result.err.size() < 2000);
    } else {
      ++accepted;
      CHECK(!result.out.empty());
    }
  }
  CHECK(accepted >= 15);
  CHECK(refused >= 50);
}
