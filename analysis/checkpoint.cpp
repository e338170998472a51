#include "analysis/checkpoint.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "analysis/writers/json.hpp"
#include "sim/block_kernels.hpp"
#include "sim/errors.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/random/streams.hpp"
#include "sim/sampling_bytes.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "tapalab-checkpoint ";
constexpr std::string_view kVersion = "1";
constexpr double kInterval = 1.0;          // seconds between writes, at least
constexpr double kMostShareOfTime = 0.05;  // of the run that may go into them

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string_view as_bytes(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

// The contents of a file of tokens: its name says nothing about them.
std::string contents_of(const Density& density) {
  const auto* empirical = std::get_if<EmpiricalDensity>(&density.law);
  if (empirical == nullptr || !empirical->table) return {};
  return fmt::format("{:016x}{:016x}", checksum(as_bytes(empirical->table->queries)),
                     checksum(as_bytes(empirical->table->keys)));
}

void put_word(std::string& out, std::uint64_t word) {
  out.append(reinterpret_cast<const char*>(&word), sizeof word);
}

void put_text(std::string& out, std::string_view text) {
  put_word(out, text.size());
  out += text;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t word() {
    std::uint64_t word = 0;
    if (bytes_.size() < sizeof word) throw std::invalid_argument("it ends early");
    std::copy_n(bytes_.data(), sizeof word, reinterpret_cast<char*>(&word));
    bytes_.remove_prefix(sizeof word);
    return word;
  }
  std::string_view text() {
    const std::uint64_t size = word();
    if (size > bytes_.size()) throw std::invalid_argument("it ends early");
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

// The next word of the header, up to `end`.
std::string_view take_until(std::string_view& text, char end) {
  const auto stop = text.find(end);
  if (stop > 32) return {};  // none is far as well
  const std::string_view word = text.substr(0, stop);
  text.remove_prefix(stop + 1);
  return word;
}

std::optional<std::uint64_t> number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Json sampling_identity(const std::vector<CurveTask>& tasks, Shard shard) {
  Json curves = Json::array();
  for (const CurveTask& planned : tasks) {
    const CurveTask task = resolved(planned);
    const SamplingOptions& sampling = task.sampling;
    curves.push_back({{"encoding", encoding_json(task.encoding)},
                      {"density", density_json(task.density)},
                      {"contents", contents_of(task.density)},
                      {"head_dim", task.head_dim},
                      {"distances", task.distances.distances},
                      {"engine", to_string(task.engine)},
                      {"samples", sampling.samples},
                      {"seed", sampling.seed},
                      {"confidence", sampling.confidence},
                      {"rel_tol", or_null(sampling.rel_tol)},
                      {"abs_tol", or_null(sampling.abs_tol)}});
    if (task.engine == Engine::mc && sampling.estimator != Estimator::plain) {
      curves.back()["estimator"] = to_string(sampling.estimator);
    }
    if (choose_engine(task).engine == Engine::gpu) {
      curves.back()["device_arithmetic"] = kDeviceArithmetic;
    }
  }
  return {{"stream_version", kStreamVersion},
          {"arithmetic_version", kSamplingArithmetic},
          {"block_samples", kBlockSamples},
          {"shard", fmt::format("{}/{}", shard.index, shard.count)},
          {"curves", std::move(curves)}};
}

std::string first_difference(const Json& first, const Json& second) {
  const nlohmann::json a = first, b = second;  // members by name
  const auto difference = nlohmann::json::diff(a, b);
  if (difference.empty()) return {};
  std::string path = difference.at(0).at("path").get<std::string>();
  const auto text = [](const nlohmann::json& document, const std::string& where) -> std::string {
    const nlohmann::json::json_pointer pointer(where);
    return document.contains(pointer) ? printable(document.at(pointer).dump()) : "missing";
  };
  const std::string left = text(a, path), right = text(b, path);
  std::string name = path.substr(path.empty() ? 0 : 1);
  return fmt::format("{} is {} in the first and {} in the second", name, left, right);
}

std::string checkpoint_text(const Checkpoint& checkpoint) {
  std::string body;
  put_text(body, checkpoint.identity);
  put_word(body, checkpoint.curves.size());
  for (const auto& [curve, samples] : checkpoint.curves) {
    for (const std::uint64_t word : {curve, samples.begin, samples.end, samples.done}) {
      put_word(body, word);
    }
    put_text(body, to_bytes(samples.state));
  }
  return fmt::format("{}{} {} {:016x}\n", kMagic, kVersion, body.size(), checksum(body)) + body;
}

namespace {

InputError checkpoint_refusal(const std::string& name, const std::string& why) {
  return InputError(fmt::format(
      "{} {}; accepted: a file that --checkpoint wrote, or a name that is free", name, why));
}

// What the first line says of the body.
struct Header {
  std::size_t length;  // of the line
  std::uint64_t body, checksum;
};

constexpr const char* kDamaged = "is damaged: its checksum does not fit its contents";

Header parse_header(std::string_view text, const std::string& name) {
  const std::size_t whole = text.size();
  if (text.substr(0, kMagic.size()) != kMagic)
    throw checkpoint_refusal(name, "is not a checkpoint");
  text.remove_prefix(kMagic.size());
  const std::string_view version = take_until(text, ' ');
  if (version != kVersion) {
    throw checkpoint_refusal(name, fmt::format("has version {} where this program reads version {}",
                                               printable(version), kVersion));
  }
  const auto size = number(take_until(text, ' '), 10);
  const auto sum = number(take_until(text, '\n'), 16);
  if (!size || !sum) throw checkpoint_refusal(name, kDamaged);
  return {whole - text.size(), *size, *sum};
}

// The file as it stands; of one that is no checkpoint only the beginning is read.
std::string read_checkpoint(const std::string& path, std::uint64_t size, const std::string& name) {
  constexpr std::uint64_t kLongestHeader = 128;
  std::ifstream file(path, std::ios::binary);
  std::string text(std::min(size, kLongestHeader), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) throw InputError(name + " cannot be read");
  const Header header = parse_header(text, name);
  if (header.body != size - header.length) throw checkpoint_refusal(name, kDamaged);
  const std::size_t begun = text.size();
  text.resize(size);
  file.read(text.data() + begun, static_cast<std::streamsize>(size - begun));
  if (!file) throw InputError(name + " cannot be read");
  return text;
}

}  // namespace

Checkpoint parse_checkpoint(std::string_view text, const std::string& name) {
  const Header header = parse_header(text, name);
  text.remove_prefix(header.length);
  if (header.body != text.size() || checksum(text) != header.checksum) {
    throw checkpoint_refusal(name, kDamaged);
  }
  try {
    Checkpoint checkpoint;
    Reader reader(text);
    checkpoint.identity = reader.text();
    const std::uint64_t curves = reader.word();
    for (std::uint64_t i = 0; i < curves; ++i) {
      const std::uint64_t curve = reader.word();
      SampleRange samples;
      samples.begin = reader.word();
      samples.end = reader.word();
      samples.done = reader.word();
      samples.state = state_from_bytes(reader.text());
      checkpoint.curves.emplace(curve, std::move(samples));
    }
    if (!reader.empty()) throw std::invalid_argument("bytes are left over");
    return checkpoint;
  } catch (const std::invalid_argument& error) {
    throw checkpoint_refusal(name, fmt::format("is damaged: {}", error.what()));
  }
}

CheckpointFile::CheckpointFile(std::string path, const Json& identity) : path_(std::move(path)) {
  kept_.identity = identity.dump();
  struct stat info {};
  if (stat(path_.c_str(), &info) != 0) {
    require_writable(path_, "--checkpoint");
    return;
  }
  const std::string name = fmt::format("--checkpoint: {}", printable(path_));
  if (!S_ISREG(info.st_mode)) {
    throw InputError(name + " is not a regular file; accepted: the name of a file");
  }
  found_ = parse_checkpoint(read_checkpoint(path_, static_cast<std::uint64_t>(info.st_size), name),
                            name);
  const std::string difference =
      first_difference(Json::parse(found_.identity, nullptr, false), identity);
  if (!difference.empty()) {
    throw InputError(fmt::format(
        "{} belongs to another experiment: {}, the first being the file's; accepted: the options "
        "that it was begun with, or a name that is free",
        name, difference));
  }
  kept_ = found_;
}

const SampleRange* CheckpointFile::found(std::uint64_t curve) const {
  const auto samples = found_.curves.find(curve);
  return samples == found_.curves.end() ? nullptr : &samples->second;
}

void CheckpointFile::keep(std::uint64_t curve, const SampleRange& samples, bool now) {
  const bool due = !written_ || seconds_now() >= due_;
  if (!now && !due) return;
  kept_.curves[curve] = samples;
  try {
    write();
    failure_.clear();
  } catch (const InputError& error) {
    failure_ = error.what();
    if (!written_) throw;
  }
}

void CheckpointFile::write() {
  const double begin = seconds_now();
  due_ = begin + kInterval;  // where it fails too
  write_file_atomically(path_, checkpoint_text(kept_), "--checkpoint");
  written_ = true;
  const double end = seconds_now();
  due_ = end + std::max(kInterval, (end - begin) / kMostShareOfTime);
}

}  // namespace tapalab
