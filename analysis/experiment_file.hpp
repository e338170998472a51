// Experiments from files: TOML, or the JSON of an earlier result.
#pragma once

#include <string>
#include <string_view>

#include "analysis/experiment_spec.hpp"

namespace tapalab {

/// Reads an experiment: JSON where the first character is '{', else TOML.
///
/// TOML: `distances` (text, a number or a list of numbers), `head_dim`, `seq_len`, `engine`,
/// `samples`, `seed`, `confidence`, `rel_tol`, `abs_tol`, `sweep`; `[encoding]` or several
/// `[[encoding]]`, each with `name` and the keys of that encoding, or a string as on the command
/// line; `[density]` likewise. M, N, mean and covariance may be lists (row by row) or the path of
/// a .npy file. Relative paths, those of token files included, are relative to the TOML file, so
/// that it can be run from anywhere. Numbers are taken as they are written, so that 0.1 is the
/// exact decimal.
///
/// JSON: `tapalab/curve/1`, which gives the same `curves` when it is run again. Its paths are those
/// of the command line, relative to the working directory.
///
/// Throws InputError, naming the file and the line or key, for anything else, unknown keys
/// included.
ExperimentSpec read_experiment_file(const std::string& path);

/// The two formats; `label` is how messages call the text, `directory` is where relative paths
/// begin (empty: in the working directory).
ExperimentSpec read_experiment_toml(const std::string& text, const std::string& label,
                                    const std::string& directory);
ExperimentSpec read_experiment_json(const std::string& text, const std::string& label);

}  // namespace tapalab
