// Whole texts from files and pipes that nobody vouches for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tapalab {

/// All bytes of a file or a pipe, at most `most` of them. Throws InputError for a directory or
/// a device, for what cannot be read and for more bytes; messages begin with `what` and the path.
std::string read_bounded_text(const std::string& path, std::uint64_t most, std::string_view what);

/// Throws InputError where JSON must not be parsed as it stands: a NUL byte, after which parsers
/// see an end, or brackets nested deeper than 200, which cost them their stack. `label` begins the
/// message.
void check_json_text(std::string_view text, std::string_view label);

}  // namespace tapalab
