// Two results beside each other: do they differ beyond their errors?
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/log_number.hpp"

namespace tapalab {

/// One quantity that both results hold.
struct ComparedQuantity {
  std::string series;    ///< encoding, density and head dimension
  std::string quantity;  ///< "mean", "variance", "overall.exponent", ...
  std::string at;        ///< "distance 1000"; empty where there is one of a kind
  std::string a, b;      ///< as they stand in the files
  /// (|a - b| - bounds) / sigma: bounds are the sum of the half-widths towards each other of errors
  /// that hold always or by an estimate; sigma adds in quadrature those of intervals, each over the
  /// normal quantile of its level. 0 within the bounds; infinite beyond them where nothing was
  /// sampled.
  double z = 0;
  bool differs = false;  ///< z above the limit, or a verdict that is another
};

struct Comparison {
  std::string schema;  ///< of both, such as "tapalab/curve/1"
  double limit = 0;
  std::vector<ComparedQuantity> quantities;  ///< in the order of the first file
  std::size_t only_in_a = 0, only_in_b = 0;  ///< quantities without a partner
  std::vector<std::string> notes;  ///< what else is not the same, such as a sequence length
  std::size_t differing() const;
};

/// A result of this program as it stands in a file; `name` begins messages about it.
struct ResultText {
  std::string name;
  std::string text;
};

/// Compares results of curve, histogram, retrieve and fit, quantity by quantity, and the verdicts
/// of verify. Series are matched by their parameters (not by how a specification was written),
/// points by their distance or length; whatever engine, seed and number of samples made them.
/// `limit` > 0. Throws InputError for what is no such result, for two of different kinds, and where
/// nothing stands in both.
Comparison compare_results(const ResultText& a, const ResultText& b, double limit);

/// `tapalab/compare/1` (docs/schema/compare.json); `provenance` is placed as given.
nlohmann::ordered_json comparison_json(const Comparison& comparison,
                                       const nlohmann::ordered_json& provenance);
/// A row for each series and quantity: how many were compared, how many differ, and the worst.
std::string comparison_table(const Comparison& comparison);

}  // namespace tapalab
