#include "analysis/inspect_file.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "../sim/file_bytes.hpp"
#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;
using namespace tapalab::testing;

TEST_CASE("a report counts what is finite and describes it") {
  const std::string header = R"({"__metadata__":{"source":"test"},)"
                             R"("x":{"dtype":"F32","shape":[5],"data_offsets":[0,20]},)"
                             R"("i":{"dtype":"I64","shape":[2],"data_offsets":[20,36]},)"
                             R"("none":{"dtype":"F64","shape":[0],"data_offsets":[36,36]},)"
                             R"("bad":{"dtype":"F32","shape":[1],"data_offsets":[36,40]}})";
  const std::string data =
      f32(1) + f32(-3) + f32(INFINITY) + f32(NAN) + f32(8) + little(1, 8) + little(2, 8) + f32(NAN);
  const TemporaryFile file(safetensors(header, data), ".anything");
  const FileReport report = inspect_file(file.path());
  CHECK(report.format == "safetensors");
  CHECK(report.bytes == 8 + header.size() + data.size());
  REQUIRE(report.tensors.size() == 4);
  const auto& x = report.tensors[0].values.value();
  CHECK(x.finite == 3);
  CHECK(x.nan == 1);
  CHECK(x.infinite == 1);
  CHECK(x.min == -3.0);
  CHECK(x.max == 8.0);
  CHECK(x.mean == 2.0);
  CHECK(!report.tensors[1].values);
  CHECK(report.tensors[1].shape == std::vector<std::uint64_t>{2});

  const auto json = to_json(report);
  CHECK(json["metadata"]["source"] == "test");
  CHECK(json["tensors"][0]["values"]["mean"] == 2.0);
  CHECK(json["tensors"][1]["values"].is_null());
  CHECK(json["tensors"][2]["values"]["mean"].is_null());
  CHECK(json["tensors"][3]["values"]["nan"] == 1);
  CHECK(json["tensors"][3]["values"]["min"].is_null());
}

TEST_CASE("the mean of numbers whose sum leaves the range of double is right") {
  const TemporaryFile file(npy("{'descr': '<f8', 'fortran_order': True, 'shape': (3, 1)}",
                               f64(1.5e308) + f64(1.5e308) + f64(1.5e308)),
                           ".npy");
  const FileReport report = inspect_file(file.path());
  CHECK(report.format == "npy");
  CHECK(report.tensors.at(0).fortran_order);
  CHECK(report.tensors[0].values->mean == 1.5e308);
}

TEST_CASE("the shipped activations are described with all of their values finite") {
  const FileReport report = inspect_file(TAPALAB_TEST_DATA "/qk.safetensors");
  REQUIRE(report.tensors.size() == 6);
  for (const auto& tensor : report.tensors) {
    CHECK(tensor.values->finite == 4U * 2048 * 64);
    CHECK(tensor.values->min < tensor.values->mean);
    CHECK(tensor.values->mean < tensor.values->max);
  }
}

TEST_CASE("a file of no known format is refused with its byte offset") {
  const TemporaryFile file("some text", ".txt");
  CHECK(contains(refusal([&] { inspect_file(file.path()); }), "byte offset"));
  const TemporaryFile named("some text", ".npy");
  CHECK(contains(refusal([&] { inspect_file(named.path()); }), "NUMPY"));
  CHECK(contains(refusal([] { inspect_file("/no/such/file"); }), "no such file"));
}
