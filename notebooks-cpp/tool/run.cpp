#include "notebooks-cpp/tool/run.hpp"

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "notebooks-cpp/tool/process.hpp"
#include "sim/errors.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/bounded_text.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::notebook {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostRecordBytes = 256 << 20;

Output output_of(const json& record) {
  Output output;
  if (record.contains("ename")) {
    output.kind = OutputKind::error;
    output.ename = record.at("ename").get<std::string>();
    output.text = record.at("evalue").get<std::string>();
    output.where = record.at("where").get<std::string>();
  } else if (record.contains("mime")) {
    output.kind = OutputKind::display;
    output.mime = record.at("mime").get<std::string>();
    output.text = record.at("data").get<std::string>();
  } else {
    output.text = record.at("stream").get<std::string>();
  }
  return output;
}

std::string ending(int exit_code) {
  if (exit_code > 128) {
    const char* name = ::strsignal(exit_code - 128);
    return "the program was ended by signal " + std::to_string(exit_code - 128) + " (" +
           (name == nullptr ? "unknown" : name) + ")";
  }
  return "the program ended with exit status " + std::to_string(exit_code) +
         " before its last cell";
}

}  // namespace

const Output* NotebookRun::error() const {
  for (const CellRun& cell : cells) {
    for (const Output& output : cell.outputs) {
      if (output.kind == OutputKind::error) return &output;
    }
  }
  return nullptr;
}

std::string NotebookRun::message() const {
  const Output* ended = error();
  if (ended == nullptr) return "the program ended with an exit status other than 0";
  return escaped(ended->where + ": " + ended->ename + ": " + ended->text);
}

NotebookRun read_run(const PercentFile& file, std::string_view records, int exit_code) {
  NotebookRun run;
  run.cells.resize(file.cells.size());
  for (std::size_t i = 0; i < file.cells.size(); ++i) run.cells[i].ran = file.cells[i].global;
  std::optional<std::size_t> current;
  bool done = false;
  try {
    while (!records.empty()) {
      const std::size_t end = std::min(records.find('\n'), records.size());
      const json record = json::parse(records.substr(0, end));
      records.remove_prefix(std::min(end + 1, records.size()));
      if (record.contains("done")) {
        done = true;
      } else if (record.contains("begin")) {
        current = record.at("begin").get<std::size_t>();
        run.cells.at(*current).ran = true;
      } else {
        run.cells.at(record.at("cell").get<std::size_t>()).outputs.push_back(output_of(record));
      }
    }
  } catch (const std::exception& error) {
    throw InputError(std::string("record of the run: ") + error.what());
  }
  if (!done && run.error() == nullptr && !run.cells.empty()) {
    const std::size_t cell = current.value_or(0);
    const std::string where = file.path + ":" + std::to_string(file.cells[cell].line);
    run.cells[cell].outputs.push_back(
        {OutputKind::error, ending(exit_code), {}, "ProgramEnded", where});
  }
  run.completed = done && exit_code == 0 && run.error() == nullptr;
  return run;
}

NotebookRun run_notebook(const PercentFile& file, const std::string& program) {
  const ScratchFolder scratch;
  const std::string records = scratch.file("records");
  write_file_atomically(records, "", "records");
  const int code = run_process({program, records});
  return read_run(file, read_bounded_text(records, kMostRecordBytes, "record of the run"), code);
}

}  // namespace tapalab::notebook
