// Files of the attention cross-check: inputs with their reference for others, and their outputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/crosscheck/attention.hpp"
#include "sim/io/float_formats.hpp"

namespace tapalab {

/// The tokens that the tensor `rows` (I64, as export_golden writes it) of a .safetensors file
/// names, in its order; none where there is no such tensor. Throws InputError, also for a token
/// that is negative or named twice.
std::vector<std::uint64_t> observed_rows(const std::string& file);

/// The values of the tensor `out` of a .safetensors file for the tokens `rows`: [token, dim] or
/// [head, token, dim] with seq_len tokens; or, where the file has a tensor `rows`, one output for
/// each token that it names. A single head serves for any `head`. NaN and infinity are kept: they
/// are the kernel's. Throws InputError.
std::vector<double> read_outputs(const std::string& file, const std::vector<std::uint64_t>& rows,
                                 std::uint64_t seq_len, std::uint32_t dim, std::uint32_t head = 0);

/// A .safetensors file with q, k, v [token, dim] in the io type, rows [row] as I64 and the
/// reference out [row, dim] as F64; `description` stands in its metadata. The file appears whole or
/// not at all. Throws InputError where it cannot be written, and for more than 2^27 values a
/// tensor.
void export_golden(const std::string& file, const TokenStream& tokens, FloatFormat io,
                   const AttentionCheck& check, const std::string& description);

}  // namespace tapalab
