// A command of the program. Each stands in a file of its own.
#pragma once

#include <string>
#include <vector>

namespace tapalab::cli {

/// What a command is told: `all` is the whole command line, for provenance.
struct Arguments {
  std::string command;
  std::vector<std::string> rest;
  std::vector<std::string> all;
};

struct Command {
  const char* name;
  const char* summary;
  /// The exit code; throws InputError and UnavailableError.
  int (*run)(const Arguments& arguments);
};

int run_curve(const Arguments& arguments);
int run_bias(const Arguments& arguments);
int run_variance(const Arguments& arguments);
int run_histogram(const Arguments& arguments);
int run_retrieve(const Arguments& arguments);
int run_fit(const Arguments& arguments);
int run_verify(const Arguments& arguments);
int run_crosscheck(const Arguments& arguments);
int run_inspect(const Arguments& arguments);
int run_merge(const Arguments& arguments);
int run_compare(const Arguments& arguments);
int run_report(const Arguments& arguments);
int run_list(const Arguments& arguments);

/// In the order of the help.
const std::vector<Command>& commands();

}  // namespace tapalab::cli
