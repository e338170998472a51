#include "sim/io/atomic_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;
namespace fs = std::filesystem;

namespace {

struct Directory {
  fs::path path;
  Directory() {
    std::string pattern = (fs::temp_directory_path() / "tapalab-atomic.XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~Directory() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("A file that is not committed leaves the old one and nothing else") {
  const Directory directory;
  const std::string path = directory.file("result");
  write_file_atomically(path, "old", "--out");
  {
    AtomicFile file(path, "--out");
    file.write("new and longer");
    CHECK(content(path) == "old");
    CHECK(directory.count() == 2);
  }
  CHECK(content(path) == "old");
  CHECK(directory.count() == 1);
}

TEST_CASE("A committed file replaces the old one whole") {
  const Directory directory;
  const std::string path = directory.file("result");
  write_file_atomically(path, "a long old text", "--out");
  const std::string bytes("n\0w", 3);
  AtomicFile file(path, "--out");
  file.write(bytes.substr(0, 1));
  file.write(bytes.substr(1));
  file.commit();
  CHECK(content(path) == bytes);
  CHECK(directory.count() == 1);
}

TEST_CASE("A new file has the mode that the umask leaves, an old one keeps its own") {
  const Directory directory;
  const mode_t before = umask(027);
  write_file_atomically(directory.file("new"), "x", "--out");
  umask(before);
  struct stat info {};
  REQUIRE(stat(directory.file("new").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0640);
  REQUIRE(chmod(directory.file("new").c_str(), 0604) == 0);
  write_file_atomically(directory.file("new"), "y", "--out");
  REQUIRE(stat(directory.file("new").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0604);
}

TEST_CASE("A program may put its own file in the temporary place") {
  const Directory directory;
  AtomicFile file(directory.file("figure"), "--plot");
  std::ofstream(file.temporary_path()) << "drawn";
  file.commit();
  CHECK(content(directory.file("figure")) == "drawn");
}

TEST_CASE("Names at the limit of the file system are written") {
  const Directory directory;
  const std::string path = directory.file(std::string(255, 'n'));
  write_file_atomically(path, "x", "--out");
  CHECK(content(path) == "x");
}

TEST_CASE("Places where no file can be are refused by name, and nothing is left") {
  const Directory directory;
  write_file_atomically(directory.file("file"), "x", "--out");
  for (const std::string& path :
       {std::string(), directory.path.string(), directory.file("no/such/file"),
        directory.file("file/below"), directory.file("slash/"),
        directory.file(std::string(300, 'n')), std::string("a\0b", 3)}) {
    INFO(path);
    CHECK_THROWS_AS(require_writable(path, "--out"), InputError);
    try {
      AtomicFile file(path, "--out");
      FAIL("not refused");
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find("--out") == 0);
    }
  }
  CHECK(directory.count() == 1);
}

TEST_CASE("Checking that a file can be written changes nothing") {
  const Directory directory;
  require_writable(directory.file("result"), "--out");
  CHECK(directory.count() == 0);
  CHECK_NOTHROW(require_writable("/dev/null", "--out"));
}

TEST_CASE("A full device is an error of the write") {
  AtomicFile file("/dev/full", "--out");
  CHECK_THROWS_AS(file.write("x"), InputError);
}
