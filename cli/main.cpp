#include "cli/program.hpp"

int main(int argc, char** argv) { return tapalab::cli::run({argv + 1, argv + argc}); }
