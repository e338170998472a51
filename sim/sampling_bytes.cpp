#include "sim/sampling_bytes.hpp"

#include <bit>
#include <cstring>
#include <stdexcept>

namespace tapalab {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes are written as they stand");

template <class T>
void put(std::string& out, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void get(T& value) {
    if (bytes_.size() < sizeof value) throw std::invalid_argument("a sampling state ends early");
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
  }
  std::uint64_t count(std::size_t bytes_each) {
    std::uint64_t value = 0;
    get(value);
    if (value > bytes_.size() / bytes_each) {
      throw std::invalid_argument("a sampling state counts more than it holds");
    }
    return value;
  }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

// Calls f with each number of a point, in the order of the format.
template <class Point, class F>
void each_number(Point& point, const F& f) {
  f(point.score.count);
  f(point.score.mean);
  f(point.score.m2);
  f(point.score.m3);
  f(point.score.m4);
  for (auto* companion : {&point.sine, &point.excess}) {
    f(companion->mean);
    f(companion->m2);
    f(companion->cross);
  }
}

constexpr std::size_t kPointBytes = 11 * 8;

}  // namespace

std::string to_bytes(const SamplingState& state) {
  std::string out;
  const auto nodes = state.nodes();
  put(out, std::uint64_t{nodes.size()});
  for (const auto& node : nodes) {
    put(out, std::uint64_t{node.level});
    put(out, node.index);
    put(out, std::uint64_t{node.value.points.size()});
    for (const ScoreMoments& point : node.value.points) {
      each_number(point, [&](auto value) { put(out, value); });
    }
  }
  return out;
}

SamplingState state_from_bytes(std::string_view bytes) {
  SamplingState state;
  Reader reader(bytes);
  const std::uint64_t nodes = reader.count(24);
  for (std::uint64_t n = 0; n < nodes; ++n) {
    std::uint64_t level = 0, index = 0;
    reader.get(level);
    reader.get(index);
    if (level >= 54 || index >> (54 - level) != 0) {
      throw std::invalid_argument("a sampling state has a node outside the tree");
    }
    CurveMoments moments;
    moments.points.resize(reader.count(kPointBytes));
    for (ScoreMoments& point : moments.points) {
      each_number(point, [&](auto& value) { reader.get(value); });
    }
    state.insert(static_cast<unsigned>(level), index, std::move(moments));
  }
  if (!reader.empty()) throw std::invalid_argument("a sampling state has bytes left over");
  return state;
}

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
  }
  return hash;
}

}  // namespace tapalab
