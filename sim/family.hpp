// A family of encodings or densities: one row of a catalogue with its reader.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sim/catalogue.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {

template <class Law>
struct Family {
  NamedEntry entry;
  Law (*read)(const SpecReader& spec);
};

template <class Law>
std::vector<NamedEntry> catalogue_of(const std::vector<Family<Law>>& families) {
  std::vector<NamedEntry> entries;
  for (const auto& family : families) entries.push_back(family.entry);
  return entries;
}

/// Reads a specification with the family of its name. Throws InputError.
template <class Law>
Law read_law(std::string_view what, std::string_view text,
             const std::vector<Family<Law>>& families) {
  SpecText spec = parse_spec_text(text, what);
  for (const auto& family : families) {
    if (family.entry.name != spec.name) continue;
    return family.read(SpecReader(what, std::move(spec), family.entry));
  }
  throw InputError(unknown_name(what, "name", spec.name, names_of(catalogue_of(families))));
}

}  // namespace tapalab
