// Where results go, and how plainly a failure to put them there is said.
#pragma once

#include <string>
#include <string_view>

namespace tapalab::cli {

/// A closed pipe becomes an error of the write that meets it, not a signal; descriptors 0 to 2 that
/// are closed are opened on nothing, so that no file of ours takes their place.
void guard_standard_streams();

/// Standard output and error go nowhere from here on.
void silence_standard_streams();

/// Throws ReaderGone where a pipe has no reader any more (`tapalab ... | head`), InputError where
/// not all of it could be written for another reason (a full disk).
void write_stdout(std::string_view text);
/// Never throws: there is nowhere left to complain.
void write_stderr(std::string_view text) noexcept;

/// Control characters escaped: a message stays one line whatever the input held.
std::string one_line(std::string_view message);

/// To the file where one is named, whole or not at all, else to standard output.
void write_result(std::string_view text, const std::string& out_file);

}  // namespace tapalab::cli
