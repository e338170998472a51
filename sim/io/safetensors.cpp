#include "sim/io/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLongestHeader = 16U << 20;
constexpr std::uint64_t kHeaderStart = 8;

struct Dtype {
  std::string_view name;
  std::uint64_t bytes;
  std::optional<FloatFormat> format;
};
constexpr std::size_t kMaxRank = 32;
const Dtype kDtypes[] = {
    {"BF16", 2, FloatFormat::bf16},
    {"F16", 2, FloatFormat::f16},
    {"F32", 4, FloatFormat::f32},
    {"F64", 8, FloatFormat::f64},
    {"BOOL", 1, {}},
    {"U8", 1, {}},
    {"I8", 1, {}},
    {"F8_E5M2", 1, {}},
    {"F8_E4M3", 1, {}},
    {"F8_E8M0", 1, {}},
    {"I16", 2, {}},
    {"U16", 2, {}},
    {"I32", 4, {}},
    {"U32", 4, {}},
    {"I64", 8, {}},
    {"U64", 8, {}},
    {"C64", 8, {}},
};

/// Builds the index while the header is read, so that depth, repeated names and the form of each
/// value are checked before anything is stored.
class HeaderHandler : public nlohmann::json_sax<json> {
 public:
  HeaderHandler(const std::string& path, SafetensorsIndex& index) : path_(path), index_(index) {}

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool number_integer(number_integer_t) override { return unexpected("a negative integer"); }
  bool number_float(number_float_t, const string_t&) override {
    return unexpected("a number that is no integer below 2^64");
  }
  bool binary(binary_t&) override { return unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ == Place::shape) {
      if (tensor_.shape.size() == kMaxRank) fail_in_tensor("has more than 32 dimensions");
      tensor_.shape.push_back(value);
    } else if (place_ == Place::offsets) {
      if (offsets_.size() == 2) fail_in_tensor("has more than two data_offsets");
      offsets_.push_back(value);
    } else {
      return unexpected("an integer");
    }
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::metadata) {
      index_.metadata.emplace_back(key_, value);
    } else if (place_ == Place::tensor && key_ == "dtype") {
      tensor_.dtype = value;
    } else {
      return unexpected("a string");
    }
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::outside) {
      place_ = Place::top;
    } else if (place_ == Place::top) {
      place_ = key_ == "__metadata__" ? Place::metadata : Place::tensor;
      inner_keys_.clear();
      tensor_ = TensorInfo{};
      tensor_.name = key_;
      offsets_.clear();
    } else {
      return unexpected("an object");
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::tensor) finish_tensor();
    place_ = place_ == Place::top ? Place::outside : Place::top;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ == Place::tensor && key_ == "shape")
      place_ = Place::shape;
    else if (place_ == Place::tensor && key_ == "data_offsets")
      place_ = Place::offsets;
    else
      return unexpected("an array");
    return true;
  }

  bool end_array() override {
    place_ = Place::tensor;
    return true;
  }

  bool key(string_t& value) override {
    key_ = value;
    auto& seen = place_ == Place::top ? top_keys_ : inner_keys_;
    if (!seen.insert(value).second) {
      if (place_ == Place::top) fail(fmt::format("the name {} stands twice", printable(value)));
      fail_in_tensor(fmt::format("has the key {} twice", printable(value)));
    }
    if (place_ == Place::tensor && value != "dtype" && value != "shape" && value != "data_offsets")
      fail_in_tensor(fmt::format(
          "has the unknown key {}; dtype, shape and data_offsets are accepted", printable(value)));
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    // `position` counts the characters read, so the last of them is at fault.
    fail(fmt::format("malformed JSON at byte offset {}",
                     kHeaderStart + (position > 0 ? position - 1 : 0)));
  }

 private:
  enum class Place { outside, top, metadata, tensor, shape, offsets };

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: .safetensors header: {}", printable(path_), what));
  }
  [[noreturn]] void fail_in_tensor(const std::string& what) const {
    if (place_ == Place::metadata) fail("__metadata__ " + what);
    fail(fmt::format("tensor {} {}", printable(tensor_.name), what));
  }
  bool unexpected(const char* what) const {
    switch (place_) {
      case Place::outside:
        fail(fmt::format("the JSON at byte offset {} is {}; an object is accepted", kHeaderStart,
                         what));
      case Place::top:
        fail(fmt::format("{} is {}; an object is accepted", printable(key_), what));
      case Place::metadata:
        fail(fmt::format("__metadata__ {} is {}; a string is accepted", printable(key_), what));
      case Place::tensor:
        fail_in_tensor(fmt::format("has {} for {}; {} is accepted", what, key_,
                                   key_ == "dtype" ? "a string" : "an array of integers"));
      case Place::shape:
        fail_in_tensor(fmt::format("has {} in its shape; integers below 2^64 are accepted", what));
      case Place::offsets:
        break;
    }
    fail_in_tensor(
        fmt::format("has {} in data_offsets; two integers below 2^64 are accepted", what));
  }

  void finish_tensor() {
    for (const char* required : {"dtype", "shape", "data_offsets"})
      if (inner_keys_.count(required) == 0) fail_in_tensor(fmt::format("lacks {}", required));
    if (offsets_.size() != 2) fail_in_tensor("needs two data_offsets");
    const auto* dtype = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                     [&](const Dtype& d) { return d.name == tensor_.dtype; });
    if (dtype == std::end(kDtypes))
      fail_in_tensor(fmt::format("has the unknown dtype {}", printable(tensor_.dtype)));
    tensor_.format = dtype->format;
    std::optional<std::uint64_t> size = dtype->bytes;
    for (const auto extent : tensor_.shape)
      if (size) size = checked_product(*size, extent);
    if (!size)
      fail_in_tensor(
          fmt::format("has shape {}, whose size passes 2^64-1 bytes", shape_text(tensor_.shape)));
    if (offsets_[1] < offsets_[0] || offsets_[1] - offsets_[0] != *size)
      fail_in_tensor(fmt::format("has data_offsets [{}, {}], but shape {} of {} needs {} bytes",
                                 offsets_[0], offsets_[1], shape_text(tensor_.shape), tensor_.dtype,
                                 *size));
    tensor_.byte_offset = offsets_[0];  // within the data; made absolute once all are known
    tensor_.byte_count = *size;
    index_.tensors.push_back(std::move(tensor_));
  }

  const std::string& path_;
  SafetensorsIndex& index_;
  Place place_ = Place::outside;
  std::string key_;
  std::set<std::string> top_keys_, inner_keys_;
  TensorInfo tensor_;
  std::vector<std::uint64_t> offsets_;
};

/// The data must be used from end to end, without gap or overlap.
void check_layout(const BinaryFile& file, std::uint64_t data_start, SafetensorsIndex& index) {
  const std::uint64_t held = file.size() - data_start;
  std::sort(index.tensors.begin(), index.tensors.end(), [](const auto& a, const auto& b) {
    return std::pair(a.byte_offset, a.byte_count) < std::pair(b.byte_offset, b.byte_count);
  });
  std::uint64_t used = 0;
  for (auto& tensor : index.tensors) {
    const auto fail = [&](const std::string& what) {
      throw InputError(
          fmt::format("{}: tensor {} {}", printable(file.path()), printable(tensor.name), what));
    };
    if (tensor.byte_offset > held || tensor.byte_count > held - tensor.byte_offset)
      fail(fmt::format("ends at byte {} of the data, but the file holds {} bytes of data",
                       tensor.byte_offset + tensor.byte_count, held));
    if (tensor.byte_offset != used)
      fail(fmt::format(
          "starts at byte {} of the data, {} the {} bytes before it; tensors must follow "
          "each other without gaps",
          tensor.byte_offset, tensor.byte_offset < used ? "overlapping" : "leaving a gap after",
          used));
    used += tensor.byte_count;
    tensor.byte_offset += data_start;
  }
  if (used != held)
    throw InputError(fmt::format("{}: {} bytes at byte offset {} belong to no tensor",
                                 printable(file.path()), held - used, data_start + used));
}

}  // namespace

const TensorInfo* SafetensorsIndex::find(const std::string& name) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const TensorInfo& tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

SafetensorsIndex read_safetensors_index(BinaryFile& file) {
  const auto length = little_endian(file.read(0, kHeaderStart, "the header length").data(), 8);
  if (length > kLongestHeader)
    throw InputError(
        fmt::format("{}: the header length at byte offset 0 is {}; at most {} is accepted",
                    printable(file.path()), length, kLongestHeader));
  const auto header = file.read(kHeaderStart, length, "the header");
  if (header.empty() || header[0] != '{')
    throw InputError(fmt::format("{}: no .safetensors file: byte offset {} must hold '{{'",
                                 printable(file.path()), kHeaderStart));
  SafetensorsIndex index;
  HeaderHandler handler(file.path(), index);
  json::sax_parse(header.begin(), header.end(), &handler);
  check_layout(file, kHeaderStart + length, index);
  return index;
}

}  // namespace tapalab
