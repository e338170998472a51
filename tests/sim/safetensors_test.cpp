#include "sim/io/safetensors.hpp"

#include <cmath>

#include "catch.hpp"
#include "file_bytes.hpp"
#include "sim/io/token_reader.hpp"

using namespace tapalab;
using namespace tapalab::testing;

namespace {

/// q and k of one head, two tokens, two dimensions, f32.
const std::string kHeader = R"({"q":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
                            R"("k":{"dtype":"F32","shape":[2,2],"data_offsets":[16,32]}})";
const std::string kData = f32(1) + f32(2) + f32(3) + f32(4) + f32(5) + f32(6) + f32(7) + f32(8);

std::string refused_file(const std::string& bytes) {
  const TemporaryFile file(bytes, ".safetensors");
  const std::string message = refusal([&] { read_tokens(file.path(), "q", "k", 0, 0); });
  CHECK(contains(message, file.path()));
  return message;
}

std::string refused(const std::string& header, const std::string& data = kData) {
  return refused_file(safetensors(header, data));
}

/// A header whose tensor "q" is `tensor`.
std::string refused_tensor(const std::string& tensor, const std::string& data = kData) {
  return refused(R"({"q":)" + tensor + "}", data);
}

std::string one_head(const std::string& values) {
  return R"({"q":{"dtype":"BF16","shape":[1,2,1],"data_offsets":[0,4]},)"
         R"("k":{"dtype":"BF16","shape":[1,2,1],"data_offsets":[4,8]}})" +
         values;
}

}  // namespace

TEST_CASE("queries and keys are read from a .safetensors file") {
  const TemporaryFile file(safetensors(kHeader, kData), ".safetensors");
  const TokenTable table = read_tokens(file.path(), "q", "k", 0, 0);
  CHECK(table.tokens == 2);
  CHECK(table.head_dim == 2);
  CHECK(table.queries == std::vector<double>{1, 2, 3, 4});
  CHECK(table.keys == std::vector<double>{5, 6, 7, 8});
  CHECK(read_tokens(file.path(), "q", "k", 0, 1).queries == std::vector<double>{3, 4});
}

TEST_CASE("all float types hold the same values") {
  const auto with = [](const std::string& dtype, const std::string& data) {
    const std::string end = std::to_string(data.size());
    const TemporaryFile file(safetensors(R"({"q":{"dtype":")" + dtype +
                                             R"(","shape":[2,1],"data_offsets":[0,)" + end + "]}}",
                                         data),
                             ".safetensors");
    return read_tokens(file.path(), "q", "q", 0, 0).queries;
  };
  const std::vector<double> expected{-1.5, 0.15625};
  CHECK(with("F64", f64(-1.5) + f64(0.15625)) == expected);
  CHECK(with("F32", f32(-1.5f) + f32(0.15625f)) == expected);
  CHECK(with("BF16", bf16(-1.5f) + bf16(0.15625f)) == expected);
  CHECK(with("F16", little(0xbe00, 2) + little(0x3100, 2)) == expected);
}

TEST_CASE("the tensors of the shipped activations are found with their shapes") {
  BinaryFile file(TAPALAB_TEST_DATA "/qk.safetensors");
  const auto index = read_safetensors_index(file);
  REQUIRE(index.tensors.size() == 6);
  for (const auto& tensor : index.tensors) {
    CHECK(tensor.shape == std::vector<std::uint64_t>{4, 2048, 64});
    CHECK(tensor.format == FloatFormat::bf16);
  }
  CHECK(index.find("layers.3.q") != nullptr);
  CHECK(index.find("layers.3.v") == nullptr);
  CHECK(index.metadata.size() == 4);
}

TEST_CASE("a query head of grouped-query attention takes the key head of its group") {
  const std::string header = R"({"q":{"dtype":"BF16","shape":[4,1,1],"data_offsets":[0,8]},)"
                             R"("k":{"dtype":"BF16","shape":[2,1,1],"data_offsets":[8,12]}})";
  const TemporaryFile file(
      safetensors(header, bf16(0) + bf16(1) + bf16(2) + bf16(3) + bf16(10) + bf16(11)),
      ".safetensors");
  const double expected[] = {10, 10, 11, 11};
  for (std::uint32_t head = 0; head < 4; ++head) {
    const TokenTable table = read_tokens(file.path(), "q", "k", head, 0);
    CHECK(table.queries.at(0) == head);
    CHECK(table.keys.at(0) == expected[head]);
  }
  CHECK(contains(refusal([&] { read_tokens(file.path(), "q", "k", 4, 0); }), "head=4"));
  CHECK(contains(refusal([&] { read_tokens(file.path(), "k", "q", 0, 0); }),
                 "multiple of the key heads"));
}

TEST_CASE("every truncation of a file is refused") {
  const std::string whole = safetensors(kHeader, kData);
  for (std::size_t size = 0; size < whole.size(); ++size)
    REQUIRE(contains(refused_file(whole.substr(0, size)), "byte"));
  CHECK(contains(refused_file(whole + "x"), "1 bytes at byte offset"));
}

TEST_CASE("a header length beyond the limit or the file is refused before any allocation") {
  CHECK(contains(refused_file(little(~0ULL, 8) + kHeader), "18446744073709551615"));
  CHECK(contains(refused_file(little(100'000'000, 8) + kHeader), "at most 16777216"));
  CHECK(contains(refused_file(little(1'000'000, 8) + kHeader),
                 "needs 1000000 bytes at byte offset 8"));
  CHECK(contains(refused_file(little(0, 8)), "byte offset 8"));
}

TEST_CASE("malformed and deeply nested JSON is refused with its byte offset") {
  CHECK(contains(refused("{\"q\":"), "byte offset"));
  CHECK(contains(refused("{\"q\" 1}"), "malformed JSON at byte offset 13"));
  CHECK(contains(refused("[1]"), "byte offset 8"));
  CHECK(contains(refused("{} {}"), "byte offset 11"));
  CHECK(contains(refused("{\"\xff\":1}"), "byte offset"));
  CHECK(contains(refused(R"({"q":)" + std::string(1'000'000, '[')), "an array"));
  std::string nested = R"({"q":)";
  for (int i = 0; i < 100'000; ++i) nested += R"({"a":)";
  CHECK(contains(refused(nested), "unknown key"));
  CHECK(contains(refused(R"({"__metadata__":{"a":{"b":1}}})"), "__metadata__"));
}

TEST_CASE("names and keys that stand twice are refused") {
  CHECK(contains(refused(R"({"q":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},)"
                         R"("q":{"dtype":"F32","shape":[4],"data_offsets":[16,32]}})"),
                 "\"q\" stands twice"));
  CHECK(
      contains(refused_tensor(R"({"dtype":"F32","dtype":"F32","shape":[8],"data_offsets":[0,32]})"),
               "\"dtype\" twice"));
  CHECK(contains(refused(R"({"__metadata__":{"a":"1","a":"2"}})"), "twice"));
  CHECK(contains(refused(R"({"__metadata__":{},"__metadata__":{}})"), "twice"));
}

TEST_CASE("a tensor entry of another form is refused by its name") {
  CHECK(contains(refused_tensor("7"), "\"q\" is an integer"));
  CHECK(contains(refused_tensor("null"), "\"q\" is null"));
  CHECK(contains(refused_tensor("{}"), "\"q\" lacks dtype"));
  CHECK(contains(refused_tensor(R"({"dtype":"F32","shape":[8]})"), "lacks data_offsets"));
  CHECK(contains(refused_tensor(R"({"dtype":"F31","shape":[8],"data_offsets":[0,32]})"), "F31"));
  CHECK(contains(refused_tensor(R"({"dtype":1,"shape":[8],"data_offsets":[0,32]})"), "a string"));
  CHECK(contains(refused_tensor(R"({"dtype":"F32","shape":[-8],"data_offsets":[0,32]})"),
                 "negative"));
  CHECK(contains(refused_tensor(R"({"dtype":"F32","shape":[8.5],"data_offsets":[0,32]})"),
                 "no integer"));
  CHECK(contains(
      refused_tensor(R"({"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,32]})"),
      "no integer"));
  CHECK(contains(refused_tensor(R"({"dtype":"F32","shape":[[8]],"data_offsets":[0,32]})"),
                 "an array"));
  CHECK(contains(refused_tensor(R"({"dtype":"F32","shape":[8],"data_offsets":[0,32,64]})"), "two"));
  CHECK(contains(refused_tensor(R"({"dtype":"F32","shape":[8],"data_offsets":[0]})"), "two"));
  CHECK(contains(refused_tensor(R"({"dtype":"F32","shape":[8],"data_offsets":[0,32],"x":1})"),
                 "\"x\""));
}

TEST_CASE("shapes that overflow or differ from their offsets are refused") {
  CHECK(contains(
      refused_tensor(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,32]})"),
      "passes 2^64-1"));
  CHECK(contains(refused_tensor(R"({"dtype":"F32","shape":[9],"data_offsets":[0,32]})"),
                 "needs 36 bytes"));
  CHECK(
      contains(refused_tensor(R"({"dtype":"F32","shape":[8],"data_offsets":[32,0]})"), "[32, 0]"));
}

TEST_CASE("data that overlap, leave gaps or pass the end of the file are refused") {
  const auto two = [](int q0, int q1, int k0, int k1) {
    const auto tensor = [](const char* name, int begin, int end) {
      return "\"" + std::string(name) + R"(":{"dtype":"F32","shape":[)" +
             std::to_string((end - begin) / 4) + R"(],"data_offsets":[)" + std::to_string(begin) +
             "," + std::to_string(end) + "]}";
    };
    return "{" + tensor("q", q0, q1) + "," + tensor("k", k0, k1) + "}";
  };
  CHECK(contains(refused(two(0, 20, 16, 32)), "overlapping"));
  CHECK(contains(refused(two(0, 12, 16, 32)), "gap"));
  CHECK(contains(refused(two(4, 16, 16, 32)), "gap"));
  CHECK(contains(refused(two(0, 16, 16, 36)), "the file holds 32 bytes"));
  CHECK(contains(refused(two(0, 16, 16, 28)), "4 bytes at byte offset"));
}

TEST_CASE("unknown tensors, other layouts, unequal sizes and skip beyond the end are refused") {
  const TemporaryFile file(safetensors(kHeader, kData), ".safetensors");
  const auto message = refusal([&] { read_tokens(file.path(), "q", "v", 0, 0); });
  CHECK(contains(message, "no tensor \"v\""));
  CHECK(contains(message, "\"q\", \"k\""));
  CHECK(contains(refusal([&] { read_tokens(file.path(), "q", "k", 1, 0); }), "head=1"));
  CHECK(contains(refusal([&] { read_tokens(file.path(), "q", "k", 0, 2); }), "skip=2"));
  CHECK(contains(refused(R"({"q":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},)"
                         R"("k":{"dtype":"F32","shape":[2,2],"data_offsets":[16,32]}})"),
                 "[head, token, dim] and [token, dim]"));
  CHECK(contains(refused(R"({"q":{"dtype":"F32","shape":[4,1],"data_offsets":[0,16]},)"
                         R"("k":{"dtype":"F32","shape":[2,2],"data_offsets":[16,32]}})"),
                 "equal tokens and dim"));
  CHECK(contains(refused(R"({"q":{"dtype":"I32","shape":[2,2],"data_offsets":[0,16]},)"
                         R"("k":{"dtype":"F32","shape":[2,2],"data_offsets":[16,32]}})"),
                 "I32"));
  CHECK(contains(refused(R"({"q":{"dtype":"F32","shape":[0,2],"data_offsets":[0,0]},)"
                         R"("k":{"dtype":"F32","shape":[4,2],"data_offsets":[0,32]}})"),
                 "at least one"));
  CHECK(contains(refused_file("not a file of tensors"), "header length"));
  const TemporaryFile array(
      npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}", f64(1)), ".npy");
  CHECK(contains(refusal([&] { read_tokens(array.path(), "q", "k", 0, 0); }), "without file="));
}

TEST_CASE(
    "a NaN or infinity in the head is refused with tensor and index, elsewhere it is not read") {
  const std::string header = one_head("");
  CHECK(contains(refused(header, bf16(1) + little(0x7fc0, 2) + bf16(1) + bf16(1)),
                 "\"q\" holds nan at [0, 1, 0]"));
  CHECK(contains(refused(header, bf16(1) + bf16(1) + little(0xff80, 2) + bf16(1)),
                 "\"k\" holds -inf at [0, 0, 0]"));
  const std::string heads = R"({"q":{"dtype":"BF16","shape":[2,1,1],"data_offsets":[0,4]}})";
  const TemporaryFile file(safetensors(heads, bf16(1) + little(0x7fc0, 2)), ".safetensors");
  CHECK(read_tokens(file.path(), "q", "q", 0, 0).tokens == 1);
  CHECK(contains(refusal([&] { read_tokens(file.path(), "q", "q", 1, 0); }), "[1, 0, 0]"));
}
