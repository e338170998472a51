#include "sim/encoding.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

using namespace tapalab;

namespace {

std::string refusal(const std::string& spec) {
  try {
    parse_encoding(spec);
  } catch (const InputError& error) {
    const std::string message = error.what();
    CHECK(message.find('\n') == std::string::npos);
    CHECK(message.find('\0') == std::string::npos);
    CHECK(message.size() < 1000);
    return message;
  }
  FAIL("accepted: " << spec.substr(0, 100));
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a bare name gives the defaults that the catalogue states") {
  const auto tapa = std::get<TapaEncoding>(parse_encoding("tapa").law);
  CHECK(tapa.alpha == TapaEncoding{}.alpha);
  CHECK(tapa.alpha.text() == "0.1");
  CHECK(tapa.share == TapaEncoding{}.share);
  CHECK(tapa.law == TapaEncoding{}.law);
  const auto linear = std::get<TapaLinearEncoding>(parse_encoding("tapa-linear").law);
  CHECK(linear.share == TapaLinearEncoding{}.share);
  const auto rope = std::get<RopeEncoding>(parse_encoding("rope").law);
  CHECK(rope.base == RopeEncoding{}.base);
  CHECK(rope.angle == RopeEncoding{}.angle);
  CHECK(rope.pairing == RopeEncoding{}.pairing);
  CHECK(rope.frequency == RopeEncoding{}.frequency);
  CHECK(std::holds_alternative<NopeEncoding>(parse_encoding("nope").law));
}

TEST_CASE("every key reaches its parameter") {
  const auto tapa =
      std::get<TapaEncoding>(parse_encoding("tapa:alpha=2e-1,share=0.25,law=linear").law);
  CHECK(tapa.alpha.text() == "2e-1");
  CHECK(tapa.share.text() == "0.25");
  CHECK(tapa.law == PhaseLaw::linear);
  const auto rope = std::get<RopeEncoding>(
      parse_encoding("rope:base=\"500000\",angle=turns,pairing=adjacent,freq=f32").law);
  CHECK(rope.base.text() == "500000");
  CHECK(rope.angle == AngleUnit::turns);
  CHECK(rope.pairing == Pairing::adjacent);
  CHECK(rope.frequency == FrequencyPrecision::f32);
  CHECK(parse_encoding("tapa:alpha=0.10").spec == "tapa:alpha=0.10");
}

TEST_CASE("names and splits follow the law") {
  for (const NamedEntry& entry : encoding_catalogue()) {
    const bool complete = std::none_of(entry.keys.begin(), entry.keys.end(),
                                       [](const KeyEntry& key) { return key.required; });
    if (!complete) continue;  // needs its matrices, its factor
    const Encoding encoding = parse_encoding(entry.name);
    CHECK(encoding_name(encoding.law) == entry.name);
    CHECK(has_split(encoding.law) == (entry.name == "tapa" || entry.name == "tapa-linear"));
  }
  CHECK(encoding_name(TapaGeneralEncoding{}) == "tapa-general");
  CHECK(!has_split(TapaGeneralEncoding{}));
}

TEST_CASE("values out of range are refused with the range") {
  for (const char* spec :
       {"tapa:share=0", "tapa:share=1", "tapa:share=-0.5", "tapa:alpha=0", "tapa:alpha=-1",
        "rope:base=1", "rope:base=0.5", "rope:base=-10000", "tapa:law=cubic", "rope:pairing=0",
        "tapa:alpha=nan", "tapa:alpha=1e999999", "tapa:alpha=0x10", "tapa:alpha=\"1,2\"",
        "tapa:alpha=+-1", "tapa:alpha=1e", "tapa:alpha=.",
        "tapa:share=1.00000000000000000000000000000000000000000000"
        "00000000000000000000000000001",
        "tapa:alpha=\"\""}) {
    const std::string message = refusal(spec);
    INFO(message);
    CHECK(contains(message, "accepted: "));
    const std::string key = std::string(spec).substr(5, std::string(spec).find('=') - 5);
    CHECK(contains(message, key));
  }
  CHECK(contains(refusal("tapa:share=1"), "strictly between 0 and 1"));
}

TEST_CASE("unknown names and keys are refused with what is accepted and the nearest") {
  const std::string name = refusal("ropee:base=3");
  CHECK(contains(name, "did you mean rope?"));
  CHECK(contains(name, "tapa-linear"));
  CHECK(contains(refusal("rope:bse=3"), "did you mean base?"));
  CHECK(contains(refusal("rope:paring=half"), "did you mean pairing?"));
  CHECK(!contains(refusal("zzzzzz"), "did you mean"));
  CHECK(contains(refusal("nope:alpha=1"), "accepted: none"));
  for (const char* unknown : {"alibis", "TAPA", "rotary"}) {
    CHECK(contains(refusal(unknown), "unknown name"));
  }
  CHECK(contains(refusal("pi"), "factor is missing"));
  CHECK(contains(refusal("tapa-general"), "M is missing"));
  CHECK(contains(refusal("tapa-general:M=m.npy"), "N is missing"));
  CHECK(contains(refusal("tapa-general:M=/nonexistent/m.npy,N=n.npy"), "/nonexistent/m.npy"));
}

TEST_CASE("broken text is refused with its byte") {
  CHECK(contains(refusal(""), "byte 0"));
  CHECK(contains(refusal("tapa:"), "byte 5"));
  CHECK(contains(refusal("tapa:alpha"), "byte 10"));
  CHECK(contains(refusal("tapa:alpha="), "byte 11"));
  CHECK(contains(refusal("tapa:alpha=1,"), "byte 13"));
  CHECK(contains(refusal("tapa:alpha=1;share=2"), "';' starts a second part"));
  CHECK(contains(refusal("tapa:alpha=1=2"), "byte 12"));
  CHECK(contains(refusal("tapa:alpha=\"1"), "byte 11"));
  CHECK(contains(refusal("tapa:alpha=\"1\\"), "byte 11"));
  CHECK(contains(refusal("tapa:alpha=\"1\\x\""), "byte 14"));
  CHECK(contains(refusal("tapa:alpha=\"1\"2"), "byte 14"));
  CHECK(contains(refusal("tapa:alpha=1\"2\""), "byte 12"));
  CHECK(contains(refusal("tapa:alpha=1,alpha=1"), "given twice"));
  CHECK(contains(refusal(std::string("tapa:alpha=1\0", 13)), "byte 12"));
  CHECK(contains(refusal("tapa\n"), "byte 4"));
  CHECK(contains(refusal("tapa:alpha=\xFF"), "not UTF-8"));
  CHECK(contains(refusal("tapa:alpha=\xED\xA0\x80"), "not UTF-8"));
  CHECK(contains(refusal("tapa:alpha=\xC0\x80"), "not UTF-8"));
  CHECK(contains(refusal("t\xC3\xA4pa"), "unknown name"));
  CHECK(contains(refusal(std::string(70000, 'a')), "65536"));
  CHECK(contains(refusal("tapa:alpha=" + std::string(60000, '1')), "too long"));
}

TEST_CASE("quoting is canonical and read back, whatever the value") {
  CHECK(quote_spec_value("0.1") == "0.1");
  CHECK(quote_spec_value("") == "\"\"");
  CHECK(quote_spec_value("a,b") == "\"a,b\"");
  CHECK(quote_spec_value("a b") == "\"a b\"");
  CHECK(quote_spec_value("a\"b\\c\nd") == "\"a\\\"b\\\\c\\nd\"");
  std::mt19937_64 random(3);
  const std::string letters = "ab,:=;\"\\ \n\t1.";
  for (int trial = 0; trial < 2000; ++trial) {
    SpecText spec{"name", {}};
    for (int key = 0; key < 3; ++key) {
      std::string value;
      for (std::uint64_t n = random() % 8; n > 0; --n) value += letters[random() % letters.size()];
      spec.entries.emplace_back("k" + std::to_string(key), value);
    }
    const std::string text = write_spec_text(spec);
    const SpecText back = parse_spec_text(text, "encoding");
    CHECK(back.name == spec.name);
    CHECK(back.entries == spec.entries);
    CHECK(write_spec_text(back) == text);
  }
}

TEST_CASE("messages show hostile text in one harmless line") {
  CHECK(printable("a\nb") == "\"a\\x0ab\"");
  CHECK(printable(std::string("\0\x1b[31m", 6)) == "\"\\x00\\x1b[31m\"");
  CHECK(printable("\xFFx") == "\"\\xffx\"");
  CHECK(printable("gr\xC3\xBC\xC3\x9F") == "\"gr\xC3\xBC\xC3\x9F\"");
  CHECK(printable(std::string(1000000, 'x')).size() < 100);
}

TEST_CASE("the closest name is the one with the fewest edits, and none when far") {
  const std::vector<std::string> names{"tapa", "tapa-linear", "rope", "nope"};
  CHECK(closest_name("tpaa", names) == "tapa");
  CHECK(closest_name("tapa_linear", names) == "tapa-linear");
  CHECK(closest_name("ope", names) == "rope");
  CHECK(closest_name("xyz", names).empty());
  CHECK(closest_name("", names).empty());
  CHECK(closest_name(std::string(60000, 't'), names).empty());
  CHECK(closest_name("x", {"q"}).empty());
}

TEST_CASE("nothing but InputError escapes from random specifications") {
  std::mt19937_64 random(20240607);
  const std::vector<std::string> parts{"tapa",     "tapa-linear", "tapa-general",
                                       "rope",     "nope",        ":",
                                       ",",        "=",           ";",
                                       "\"",       "\\",          "alpha",
                                       "share",    "law",         "base",
                                       "angle",    "pairing",     "freq",
                                       "M",        "N",           "0.1",
                                       "0.5",      "linear",      "turns",
                                       "half",     "f32",         "1e999999",
                                       "-",        "+",           ".",
                                       "e",        "1",           "\xC3\xA4",
                                       "\xFF",     " ",           "\n",
                                       "0x10",     "nan",         std::string(1, '\0'),
                                       "1e-99999", "/dev/null"};
  int accepted = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string spec = random() % 4 == 0 ? "" : parts[random() % 5];
    if (random() % 2 == 0) spec += ":" + parts[11 + random() % 9] + "=";
    for (std::uint64_t n = random() % 6; n > 0; --n) spec += parts[random() % parts.size()];
    try {
      const Encoding encoding = parse_encoding(spec);
      CHECK(encoding.spec == spec);
      ++accepted;
    } catch (const InputError& error) {
      const std::string message = error.what();
      if (message.find('\n') != std::string::npos) FAIL_CHECK("two lines: " << message);
    }
  }
  CHECK(accepted > 100);
}
