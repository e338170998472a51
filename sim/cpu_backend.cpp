#include "sim/backend.hpp"
#include "sim/errors.hpp"
#include "sim/make_score_tables.hpp"
#include "sim/pair_scores.hpp"

namespace tapalab {

void check_batch(const ScoreModel& model, const PairBatch& batch) {
  const std::uint32_t head_dim = head_dim_of(model);
  const std::size_t values = batch.count * std::size_t{head_dim};
  if (batch.head_dim != head_dim) {
    throw InputError("pairs have head dimension " + std::to_string(batch.head_dim) +
                     "; accepted: that of the encoding, " + std::to_string(head_dim));
  }
  if (batch.queries.size() != values || batch.keys.size() != values) {
    throw InputError("pairs have " + std::to_string(batch.queries.size()) + " query and " +
                     std::to_string(batch.keys.size()) + " key values; accepted: " +
                     std::to_string(values) + " of each, pairs times head dimension");
  }
}

namespace {

class CpuBackend final : public Backend {
 public:
  std::string name() const override { return "cpu"; }
  std::string unavailable_reason() const override { return {}; }

  std::vector<double> scores(const ScoreModel& model, const PairBatch& batch,
                             const std::vector<std::uint64_t>& distances) const override {
    check_batch(model, batch);
    std::vector<double> result(batch.count * distances.size());
    std::visit(
        [&](const auto& tables) {
          const auto pointers = view(tables);
          for (std::size_t i = 0; i < batch.count; ++i) {
            pair_scores(pointers, batch.queries.data() + i * batch.head_dim,
                        batch.keys.data() + i * batch.head_dim, distances.size(),
                        result.data() + i * distances.size());
          }
        },
        make_score_tables(model, distances));
    return result;
  }
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<CpuBackend>(); }

}  // namespace tapalab
