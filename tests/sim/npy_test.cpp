#include "sim/io/npy.hpp"

#include <cmath>

#include "catch.hpp"
#include "file_bytes.hpp"
#include "sim/io/token_reader.hpp"

using namespace tapalab;
using namespace tapalab::testing;

namespace {

constexpr const char* kMatrix = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
const std::string kSix = f64(1) + f64(2) + f64(3) + f64(4) + f64(5) + f64(6);

std::string refused_npy(const std::string& bytes) {
  const TemporaryFile file(bytes, ".npy");
  const std::string message = refusal([&] { read_npy_matrix(file.path(), "M"); });
  CHECK(contains(message, file.path()));
  return message;
}

std::string refused_header(const std::string& dictionary, const std::string& data = kSix) {
  return refused_npy(npy(dictionary, data));
}

}  // namespace

TEST_CASE("half precision decodes to the values of IEEE 754 binary16") {
  const auto decoded = [](unsigned bits) {
    const unsigned char bytes[2] = {static_cast<unsigned char>(bits & 0xff),
                                    static_cast<unsigned char>(bits >> 8)};
    return decode_float(FloatFormat::f16, bytes);
  };
  CHECK(decoded(0x3c00) == 1);
  CHECK(decoded(0xc000) == -2);
  CHECK(decoded(0x7bff) == 65504);
  CHECK(decoded(0x0001) == 0x1p-24);
  CHECK(decoded(0x03ff) == 0x1p-14 - 0x1p-24);
  CHECK(decoded(0x0400) == 0x1p-14);
  CHECK(decoded(0x3555) == 0.333251953125);
  CHECK(std::signbit(decoded(0x8000)));
  CHECK(decoded(0xfc00) == -INFINITY);
  CHECK(std::isnan(decoded(0x7e00)));
  // Positive patterns are ordered as their values: each step is one unit in the last place.
  for (unsigned bits = 1; bits <= 0x7c00; ++bits) REQUIRE(decoded(bits) > decoded(bits - 1));
}

TEST_CASE("versions 1 to 3 of .npy give the same matrix") {
  for (const int version : {1, 2, 3}) {
    const TemporaryFile file(npy(kMatrix, kSix, version), ".npy");
    const DecimalMatrix matrix = read_npy_matrix(file.path(), "M");
    REQUIRE(matrix.rows == 2);
    REQUIRE(matrix.cols == 3);
    for (std::size_t i = 0; i < 6; ++i)
      CHECK(matrix.entries[i].value() == static_cast<double>(i + 1));
  }
}

TEST_CASE("a Fortran-order matrix is read by rows") {
  const TemporaryFile file(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }",
                               f32(1) + f32(4) + f32(2) + f32(5) + f32(3) + f32(6)),
                           ".npy");
  const DecimalMatrix matrix = read_npy_matrix(file.path(), "M");
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(matrix.entries[i].value() == static_cast<double>(i + 1));
}

TEST_CASE("matrix entries are the exact values of their floats") {
  const TemporaryFile file(
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }", f32(0.1f)), ".npy");
  CHECK(read_npy_matrix(file.path(), "M")(0, 0).wide() == Wide("0.100000001490116119384765625"));
}

TEST_CASE("one dimension reads as a row") {
  const TemporaryFile file(npy("{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }",
                               little(0x3c00, 2) + little(0x4000, 2)),
                           ".npy");
  const DecimalMatrix matrix = read_npy_matrix(file.path(), "mean");
  CHECK(matrix.rows == 1);
  CHECK(matrix.cols == 2);
  CHECK(matrix(0, 1).value() == 2);
}

TEST_CASE("a file that is not .npy, or ends early, is refused with its byte offset") {
  CHECK(contains(refused_npy(""), "byte offset 0"));
  CHECK(contains(refused_npy("PK\3\4 a zip file"), "byte offset 0"));
  const std::string whole = npy(kMatrix, kSix);
  for (std::size_t size = 0; size < whole.size(); ++size)
    REQUIRE(contains(refused_npy(whole.substr(0, size)), "byte"));
  CHECK(contains(refused_npy(whole + "x"), "the file holds 49"));
}

TEST_CASE("versions beyond 3 and lying header lengths are refused") {
  CHECK(contains(refused_npy(npy(kMatrix, kSix, 4)), "version 4.0 at byte offset 6"));
  std::string minor = npy(kMatrix, kSix);
  minor[7] = 1;
  CHECK(contains(refused_npy(minor), "version 1.1"));
  std::string lying = npy(kMatrix, kSix, 2);
  lying.replace(8, 4, little(0xffffffff, 4));
  CHECK(contains(refused_npy(lying), "header length at byte offset 8 is 4294967295"));
  lying.replace(8, 4, little(60000, 4));
  CHECK(contains(refused_npy(lying), "needs 60000 bytes at byte offset 12"));
}

TEST_CASE("a malformed .npy dictionary is refused") {
  CHECK(contains(refused_header("not a dictionary"), "expected '{'"));
  CHECK(contains(refused_header("{'descr': '<f8', 'fortran_order': False}"), "required"));
  CHECK(contains(
      refused_header("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (6,)}"),
      "twice"));
  CHECK(contains(refused_header("{'descr': '<f8', 'order': False, 'shape': (6,)}"), "unknown key"));
  CHECK(contains(refused_header("{'descr': '<f8', 'fortran_order': 0, 'shape': (6,)}"),
                 "True or False"));
  CHECK(contains(refused_header("{'descr': '<f8', 'fortran_order': False, 'shape': (-6,)}"),
                 "dimension"));
  CHECK(contains(refused_header("{'descr': '<f8', 'fortran_order': False, 'shape': 6}"),
                 "expected '('"));
  CHECK(contains(refused_header("{'descr': '<f8', 'fortran_order': False, 'shape': (6,)} + 1"),
                 "after '}'"));
  CHECK(contains(refused_header("{'descr': '<f8"), "not closed"));
  CHECK(contains(refused_header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,)}"),
                 "structured"));
}

TEST_CASE("a shape whose size overflows or does not fit the file is refused") {
  CHECK(contains(
      refused_header("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"),
      "more than 2^64-1"));
  CHECK(contains(
      refused_header("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
      "dimension"));
  CHECK(
      contains(refused_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000)}"),
               "needs 8000000000 bytes"));
  CHECK(contains(refused_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3)}"),
                 "one or two dimensions"));
}

TEST_CASE("types other than little-endian floats are refused by name") {
  for (const char* type : {">f8", "<i8", "<c8", "|V8", "|S8"}) {
    const std::string header =
        "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (2, 3)}";
    CHECK(contains(refused_header(header), type));
  }
  CHECK(contains(
      refused_header("{'descr': '<f99999999999999999999', 'fortran_order': False, 'shape': (6,)}"),
      "no simple type"));
}

TEST_CASE("raw two-byte values are refused with the way to store bf16") {
  const TemporaryFile file(npy("{'descr': '|V2', 'fortran_order': False, 'shape': (2, 2)}",
                               little(0x3f80, 2) + little(0, 2) + little(0, 2) + little(0, 2)),
                           ".npy");
  CHECK(contains(refusal([&] { read_tokens("", file.path(), file.path(), 0, 0); }),
                 "bf16 as .safetensors"));
}

TEST_CASE("a matrix entry that is not finite is refused with its index") {
  CHECK(contains(refused_header(kMatrix, f64(1) + f64(2) + f64(3) + f64(4) + f64(NAN) + f64(6)),
                 "nan at [1, 1]"));
}

TEST_CASE("directories, devices and missing files are refused") {
  CHECK(contains(
      refusal([] { read_npy_matrix(std::filesystem::temp_directory_path().string(), "M"); }),
      "directory"));
  CHECK(contains(refusal([] { read_npy_matrix("/dev/null", "M"); }), "regular file"));
  CHECK(contains(refusal([] { read_npy_matrix("/no/such/file.npy", "M"); }), "no such file"));
  CHECK(contains(refusal([] { read_npy_matrix("", "M"); }), "empty"));
}

TEST_CASE("queries and keys come from two .npy files, head by head and from token skip on") {
  std::string queries, keys;
  for (int i = 0; i < 2 * 3 * 2; ++i) queries += f32(static_cast<float>(i));
  for (int i = 0; i < 3 * 2; ++i) keys += f64(100.0 + i);
  const TemporaryFile q(
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 2)}", queries), ".npy");
  const TemporaryFile k(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}", keys),
                        ".npy");
  const TokenTable table = read_tokens("", q.path(), k.path(), 1, 1);
  CHECK(table.tokens == 2);
  CHECK(table.head_dim == 2);
  CHECK(table.queries == std::vector<double>{8, 9, 10, 11});
  CHECK(table.keys == std::vector<double>{102, 103, 104, 105});
}

TEST_CASE("a head of a Fortran-order tensor is gathered") {
  // Element [h, t, d] = 4 h + 2 t + d, stored with h fastest.
  std::string data;
  for (int d = 0; d < 2; ++d)
    for (int t = 0; t < 2; ++t)
      for (int h = 0; h < 2; ++h) data += f64(4 * h + 2 * t + d);
  const TemporaryFile file(npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2, 2)}", data),
                           ".npy");
  CHECK(read_tokens("", file.path(), file.path(), 1, 0).queries == std::vector<double>{4, 5, 6, 7});
}
