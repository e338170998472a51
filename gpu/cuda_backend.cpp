#include "gpu/cuda_backend.hpp"

#include "gpu/device_scores.hpp"
#include "sim/make_score_tables.hpp"

namespace tapalab {
namespace {

class CudaBackend final : public Backend {
 public:
  std::string name() const override { return "cuda"; }
  std::string unavailable_reason() const override { return gpu::unavailable_reason(); }

  std::vector<double> scores(const ScoreModel& model, const PairBatch& batch,
                             const std::vector<std::uint64_t>& distances) const override {
    check_batch(model, batch);
    std::vector<double> result(batch.count * distances.size());
    gpu::device_scores(make_score_tables(model, distances), distances.size(), batch.head_dim,
                       batch.count, batch.queries.data(), batch.keys.data(), result.data());
    return result;
  }
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend() { return std::make_unique<CudaBackend>(); }

}  // namespace tapalab
