// The table of docs/results/rope-violations.md: for each base, head dimension and angle the
// smallest distance above the base that breaks the bound of Theorem 2.2, or the smallest that
// lattice reduction finds. Resumable: each line of the state file says how far a setting was
// scanned.
//
//   rope_violations_benchmark STATE [LENGTH [BITS]]   scan LENGTH (default 2^32) distances above
//       each base; lattice reduction begins at distances of 2^BITS (default 32)
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "proofs-check/rope_violation.hpp"
#include "proofs-check/theorem_2_2.hpp"

using namespace tapalab;

namespace {

constexpr std::uint64_t kStep = std::uint64_t{1} << 30;

struct Cell {
  std::uint64_t scanned_to = 0;  ///< every distance from above the base to here was looked at
  std::string found;             ///< decimal; empty: none yet
  std::string method;            ///< "scan" (minimal) or "reduction"
};

std::map<std::string, Cell> read_state(const std::string& path) {
  std::map<std::string, Cell> state;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream fields(line);
    std::string key, found, method;
    Cell cell;
    if (fields >> key >> cell.scanned_to >> found >> method) {
      cell.found = found == "-" ? "" : found;
      cell.method = method;
      state[key] = cell;
    }
  }
  return state;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: rope_violations_benchmark STATE [LENGTH [BITS]]\n");
    return 2;
  }
  const std::uint64_t length =
      argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::uint64_t{1} << 32;
  const long first_bits = argc > 3 ? std::strtol(argv[3], nullptr, 10) : 32;
  std::map<std::string, Cell> state = read_state(argv[1]);
  std::ofstream log(argv[1], std::ios::app);
  for (const std::uint32_t head_dim : {64u, 128u, 256u})
    for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians})
      for (const std::string base : {"10000", "500000", "1000000", "10000000", "100000000"}) {
        const RopeSetting setting{base, head_dim, angle};
        // b = 1e4 has no near distance in the hypothesis: distance 1 stands in
        const std::uint64_t near = weakest_near_distance(setting).value_or(1);
        const std::string key = fmt::format("{},{},{},{}", base, head_dim, to_string(angle), near);
        Cell& cell = state[key];
        const std::uint64_t first = std::stoull(base) + 1, last = first + length;
        const auto note = [&] {
          log << key << ' ' << cell.scanned_to << ' ' << (cell.found.empty() ? "-" : cell.found)
              << ' ' << (cell.method.empty() ? "-" : cell.method) << std::endl;
        };
        while (cell.method != "scan" && cell.scanned_to < last) {
          GapScan scan{setting, near, "0.125", std::max(first, cell.scanned_to + 1), 0, 1};
          scan.last = std::min(last, scan.first + kStep);
          const auto found = smallest_gap_violation(scan);
          cell.scanned_to = found ? *found : scan.last;
          if (found) {
            cell.found = std::to_string(*found);
            cell.method = "scan";
          }
          note();
        }
        if (cell.found.empty()) {
          ViolationSearch search{setting, near};
          search.first_bits = first_bits;
          if (const auto found = violation_by_reduction(search)) {
            cell.found = *found;
            cell.method = "reduction";
          }
          note();
        }
        fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", base, head_dim, to_string(angle), near,
                   cell.found.empty() ? "none found" : cell.found,
                   cell.method.empty() ? "-" : cell.method, cell.scanned_to);
        std::fflush(stdout);
      }
}
