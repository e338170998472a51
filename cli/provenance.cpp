#include "cli/provenance.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tapalab_build_info.hpp>
#include <thread>

namespace tapalab::cli {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  utsname name{};
  return uname(&name) == 0 ? name.machine : "unknown";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace

std::string version_line() {
  return fmt::format("tapalab {} ({}{}, {}, {})", build_info::kVersion,
                     build_info::kCommit.substr(0, 12), build_info::kDirty ? ", modified" : "",
                     build_info::kCompiler, build_info::kBuildType);
}

unsigned used_threads(unsigned asked) {
  return asked != 0 ? asked : std::max(1u, std::thread::hardware_concurrency());
}

nlohmann::ordered_json provenance(const Arguments& arguments, unsigned threads) {
  return {{"program", "tapalab"},
          {"version", build_info::kVersion},
          {"commit", build_info::kCommit},
          {"modified", build_info::kDirty},
          {"arguments", arguments.all},
          {"compiler", build_info::kCompiler},
          {"build_type", build_info::kBuildType},
          {"cuda", build_info::kCuda},
          {"mpi", build_info::kMpi},
          {"processor", processor()},
          {"threads", used_threads(threads)},
          {"date", utc_now()}};
}

}  // namespace tapalab::cli
