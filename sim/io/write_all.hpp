// Writing to a descriptor whose reader may be slow.
#pragma once

#include <string_view>

namespace tapalab {

/// Writes the whole of `text`: 0, or the errno of the write that failed. A pipe or terminal that
/// takes no more does not hold the program when interrupted() (sim/interrupt.hpp) becomes true: the
/// result is then EINTR.
int write_all(int descriptor, std::string_view text) noexcept;

/// Opens `path`, a named pipe, for writing once it has a reader; a descriptor, or -1 with errno,
/// EINTR when interrupted() becomes true.
int open_pipe(const char* path) noexcept;

}  // namespace tapalab
