#include "sim/spec_text.hpp"

#include <algorithm>
#include <charconv>

#include "sim/errors.hpp"

namespace tapalab {
namespace {

constexpr std::size_t kMaxSpecBytes = 65536;
constexpr std::size_t kMaxPrintedBytes = 80;
constexpr std::string_view kReserved = ",:=;\"";

// Bytes of the UTF-8 character at `at` (RFC 3629: no overlong forms, no surrogates); 0 where there
// is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!tail(1) || !tail(2)) return 0;
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    const bool overlong = lead == 0xF0 && byte(1) < 0x90;
    const bool beyond = lead == 0xF4 && byte(1) >= 0x90;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

std::string join(const std::vector<std::string>& names) {
  std::string line;
  for (const std::string& name : names) {
    if (!line.empty()) line += ", ";
    line += name;
  }
  return line;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

// What a terminal or a reader of a line must not get as it stands: control characters (C0, DEL, and
// C1, which some terminals obey), separators of lines, and marks that turn the order of letters.
bool is_hostile(std::string_view character) {
  if (character.size() == 1) return is_control(character[0]);
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;  // U+0080 to U+009F
  if (character.size() != 3 || byte(0) != 0xE2) return false;
  const bool ordering = byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE;  // U+2028 to 202E
  const bool isolates = byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;  // U+2066 to 2069
  return ordering || isolates;
}

void append_escaped(std::string& shown, std::string_view bytes) {
  static constexpr char kHex[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    shown += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
  }
}

// Appends the character at `at`, escaped where it has to be, and steps beyond it.
void append_shown(std::string& shown, std::string_view text, std::size_t& at) {
  const std::size_t length = utf8_length(text, at);
  const std::string_view character = text.substr(at, std::max<std::size_t>(length, 1));
  if (length == 0 || is_hostile(character)) {
    append_escaped(shown, character);
  } else {
    shown += character;
  }
  at += character.size();
}

// Walks the text once, left to right.
class Scanner {
 public:
  Scanner(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  [[noreturn]] void refuse(std::size_t offset, const std::string& reason) const {
    throw InputError(std::string(what_) + " " + printable(text_) + ": byte " +
                     std::to_string(offset) + ": " + reason +
                     "; accepted: name or name:key=value,key=value with values in double quotes "
                     "where they hold any of ,:=;\"");
  }

  void check_characters() const {
    if (text_.size() > kMaxSpecBytes) refuse(kMaxSpecBytes, "longer than 65536 bytes");
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t length = utf8_length(text_, at);
      if (length == 0) refuse(at, "not UTF-8");
      if (is_control(text_[at])) refuse(at, "a control character");
      at += length;
    }
  }

  SpecText read() {
    SpecText spec;
    spec.name = read_name("a name");
    if (done()) return spec;
    if (text_[at_] != ':') refuse(at_, "expected ':' or the end after the name");
    spec.entries = read_entries();
    while (!done() && text_[at_] == ';') spec.further.push_back(read_entries());
    if (!done()) refuse(at_, "expected ',' or the end after a value");
    return spec;
  }

 private:
  SpecEntries read_entries() {
    SpecEntries entries;
    do {
      ++at_;
      const std::size_t start = at_;
      std::string key = read_name("a key");
      if (done() || text_[at_] != '=') refuse(at_, "expected '=' after the key");
      ++at_;
      for (const auto& entry : entries) {
        if (entry.first == key) refuse(start, "key " + printable(key) + " is given twice");
      }
      entries.emplace_back(std::move(key), read_value());
    } while (!done() && text_[at_] == ',');
    return entries;
  }

  bool done() const { return at_ == text_.size(); }

  std::string read_name(const char* noun) {
    const std::size_t start = at_;
    while (!done() && kReserved.find(text_[at_]) == std::string_view::npos) ++at_;
    if (at_ == start) refuse(start, std::string("expected ") + noun);
    return std::string(text_.substr(start, at_ - start));
  }

  std::string read_value() {
    if (!done() && text_[at_] == '"') return read_quoted();
    const std::size_t start = at_;
    while (!done() && kReserved.find(text_[at_]) == std::string_view::npos) ++at_;
    if (at_ == start) refuse(start, "expected a value");
    return std::string(text_.substr(start, at_ - start));
  }

  std::string read_quoted() {
    const std::size_t start = at_++;
    std::string value;
    while (!done() && text_[at_] != '"') {
      char c = text_[at_++];
      if (c == '\\') {
        if (done()) break;
        c = text_[at_++];
        if (c == 'n') {
          c = '\n';
        } else if (c == 't') {
          c = '\t';
        } else if (c != '"' && c != '\\') {
          refuse(at_ - 1, "unknown escape (a backslash is followed by \", \\, n or t)");
        }
      }
      value += c;
    }
    if (done()) refuse(start, "a quote that is never closed");
    ++at_;
    return value;
  }

  std::string_view text_;
  std::string_view what_;
  std::size_t at_ = 0;
};

// Edits with swaps of neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({replace, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::vector<std::string> accepted_keys(const NamedEntry& entry) {
  std::vector<std::string> keys;
  for (const KeyEntry& key : entry.keys) {
    keys.push_back(key.name);
    if (key.prefixable) {
      keys.push_back("a." + key.name);
      keys.push_back("p." + key.name);
    }
  }
  return keys;
}

// Without the prefix of amplitude or phase coordinates.
std::string_view bare_name(std::string_view key) {
  const bool prefixed = key.substr(0, 2) == "a." || key.substr(0, 2) == "p.";
  return prefixed ? key.substr(2) : key;
}

std::vector<std::string> split_words(const std::string& words) {
  std::vector<std::string> list(1);
  for (const char c : words) {
    if (c == '|') {
      list.emplace_back();
    } else {
      list.back() += c;
    }
  }
  return list;
}

}  // namespace

SpecText parse_spec_text(std::string_view text, std::string_view what) {
  Scanner scanner(text, what);
  scanner.check_characters();
  return scanner.read();
}

std::string quote_spec_value(std::string_view value) {
  bool plain = !value.empty();
  for (const char c : value) {
    plain = plain && kReserved.find(c) == std::string_view::npos && c != '\\' && c != ' ' &&
            !is_control(c);
  }
  if (plain) return std::string(value);
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string write_spec_text(const SpecText& spec) {
  std::string text = spec.name;
  char separator = ':';
  for (const auto& [key, value] : spec.entries) {
    text += separator + key + '=' + quote_spec_value(value);
    separator = ',';
  }
  for (const SpecEntries& part : spec.further) {
    separator = ';';
    for (const auto& [key, value] : part) {
      text += separator + key + '=' + quote_spec_value(value);
      separator = ',';
    }
  }
  return text;
}

std::string escaped(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) append_shown(shown, text, at);
  return shown;
}

std::string printable(std::string_view text) {
  std::string shown = "\"";
  for (std::size_t at = 0; at < text.size();) {
    if (shown.size() > kMaxPrintedBytes) return shown + "...\"";
    append_shown(shown, text, at);
  }
  return shown + '"';
}

std::string closest_name(std::string_view given, const std::vector<std::string>& accepted) {
  std::string best;
  std::size_t best_cost = 0;
  for (const std::string& name : accepted) {
    const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
    if (given.size() > name.size() + allowed || name.size() > given.size() + allowed) continue;
    const std::size_t cost = edit_distance(given, name);
    if (cost <= allowed && cost < name.size() && (best.empty() || cost < best_cost)) {
      best = name;
      best_cost = cost;
    }
  }
  if (!best.empty() || given.size() < 3) return best;
  // One that goes on where `given` ends.
  for (const std::string& name : accepted) {
    if (name.compare(0, given.size(), given) != 0) continue;
    if (!best.empty()) return {};
    best = name;
  }
  return best;
}

std::string unknown_name(std::string_view what, std::string_view noun, std::string_view given,
                         const std::vector<std::string>& accepted) {
  std::string message =
      std::string(what) + ": unknown " + std::string(noun) + " " + printable(given) + "; ";
  const std::string near = closest_name(given, accepted);
  if (!near.empty()) message += "did you mean " + near + "? ";
  return message + "accepted: " + (accepted.empty() ? "none" : join(accepted));
}

SpecReader::SpecReader(std::string_view what, SpecText spec, const NamedEntry& entry)
    : SpecReader(std::string(what) + " " + spec.name, spec.entries, entry) {
  spec_ = std::move(spec);
  if (spec_.further.empty() || entry.repeated) return;
  throw InputError(context_ +
                   ": ';' starts a second part, and there is one alone here; accepted: " +
                   "keys separated by ','");
}

SpecReader::SpecReader(std::string context, SpecEntries entries, const NamedEntry& entry)
    : context_(std::move(context)), spec_{entry.name, std::move(entries)}, entry_(&entry) {
  const std::vector<std::string> accepted = accepted_keys(entry);
  for (const auto& given_entry : spec_.entries) {
    if (std::find(accepted.begin(), accepted.end(), given_entry.first) == accepted.end()) {
      for (const AbsentKey& absent : entry.absent) {
        if (bare_name(given_entry.first) != absent.name) continue;
        throw InputError(label(given_entry.first) + " is refused: " + absent.reason +
                         "; accepted: " + join(accepted));
      }
      throw InputError(unknown_name(context_, "key", given_entry.first, accepted));
    }
  }
  for (const KeyEntry& key : entry.keys) {
    if (key.required && !has(key.name)) {
      throw InputError(label(key.name) + " is missing; accepted: " + key.accepted);
    }
  }
}

std::vector<SpecReader> SpecReader::parts(std::string_view part) const {
  std::vector<SpecReader> readers;
  const auto add = [&](const SpecEntries& entries) {
    readers.push_back(
        SpecReader(context_ + " " + std::string(part) + " " + std::to_string(readers.size() + 1),
                   entries, *entry_));
  };
  add(spec_.entries);
  for (const SpecEntries& entries : spec_.further) add(entries);
  return readers;
}

const std::string* SpecReader::given(std::string_view key) const {
  for (const auto& entry : spec_.entries) {
    if (entry.first == key) return &entry.second;
  }
  return nullptr;
}

const KeyEntry& SpecReader::described(std::string_view key) const {
  for (const KeyEntry& entry : entry_->keys) {
    if (entry.name == bare_name(key)) return entry;
  }
  throw std::logic_error("no key " + std::string(key) + " in the catalogue of " + entry_->name);
}

std::string SpecReader::label(std::string_view key) const {
  return context_ + ": " + std::string(key);
}

std::string SpecReader::text(std::string_view key) const {
  const std::string* value = given(key);
  return value != nullptr ? *value : described(key).default_value;
}

std::vector<std::pair<std::string, std::string>> SpecReader::values() const {
  std::vector<std::pair<std::string, std::string>> values;
  for (const KeyEntry& key : entry_->keys) {
    const std::string value = text(key.name);
    if (!value.empty()) values.emplace_back(key.name, value);
  }
  return values;
}

void SpecReader::refuse(std::string_view key) const {
  throw InputError(label(key) + "=" + printable(text(key)) +
                   " is out of range; accepted: " + described(key).accepted);
}

ExactDecimal SpecReader::decimal(std::string_view key) const {
  return ExactDecimal::parse(text(key), label(key));
}

std::size_t SpecReader::word(std::string_view key) const {
  const std::vector<std::string> words = split_words(described(key).accepted);
  const std::string value = text(key);
  const auto found = std::find(words.begin(), words.end(), value);
  if (found == words.end()) throw InputError(unknown_name(label(key), "value", value, words));
  return static_cast<std::size_t>(found - words.begin());
}

std::uint64_t SpecReader::count(std::string_view key, std::uint64_t largest) const {
  const std::string value = text(key);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number > largest) refuse(key);
  return number;
}

std::vector<std::string> names_of(const std::vector<NamedEntry>& catalogue) {
  std::vector<std::string> names;
  for (const NamedEntry& entry : catalogue) names.push_back(entry.name);
  return names;
}

}  // namespace tapalab
