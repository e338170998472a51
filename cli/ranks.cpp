#include "cli/ranks.hpp"

#include <cstdlib>

#ifdef TAPALAB_HAVE_MPI
#define OMPI_SKIP_MPICXX
#include <mpi.h>

#include <limits>
#include <stdexcept>
#endif

#include "sim/errors.hpp"

namespace tapalab::cli {
namespace {

// Open MPI, MPICH and its kin, and launchers that speak PMIx.
constexpr const char* kRankVariables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
constexpr const char* kLocalRankVariables[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                               "PMI_LOCAL_RANK", "SLURM_LOCALID"};
constexpr const char* kSizeVariables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"};

// The first of the variables that holds a number; -1 where none does.
template <std::size_t N>
int first_number(const char* const (&names)[N]) {
  for (const char* name : names) {
    const char* text = std::getenv(name);
    if (text == nullptr) continue;
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (end != text && *end == '\0' && value >= 0 && value <= 1 << 24) {
      return static_cast<int>(value);
    }
  }
  return -1;
}

#ifdef TAPALAB_HAVE_MPI

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    // Calls come from the main thread alone.
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiRanks() override { MPI_Finalize(); }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<std::string> gather(const std::string& mine) const override {
    const auto count = static_cast<std::size_t>(size_);
    const int length = checked_length(mine.size());
    std::vector<int> lengths(count), offsets(count);
    MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    std::size_t total = 0;
    for (std::size_t i = 0; i < count; ++i) {
      offsets[i] = checked_length(total);
      total += static_cast<std::size_t>(lengths[i]);
    }
    std::string all(total, '\0');
    MPI_Gatherv(mine.data(), length, MPI_BYTE, all.data(), lengths.data(), offsets.data(), MPI_BYTE,
                0, MPI_COMM_WORLD);
    std::vector<std::string> parts;
    for (std::size_t i = 0; rank_ == 0 && i < count; ++i) {
      parts.push_back(
          all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(lengths[i])));
    }
    return parts;
  }

  std::string broadcast(const std::string& from_root) const override {
    int length = checked_length(from_root.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    std::string text = rank_ == 0 ? from_root : std::string(static_cast<std::size_t>(length), '\0');
    MPI_Bcast(text.data(), length, MPI_BYTE, 0, MPI_COMM_WORLD);
    return text;
  }

 private:
  // MPI counts in int; a state of 2^31 bytes has more distances than one message should carry.
  static int checked_length(std::size_t length) {
    if (length > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw std::length_error("more than 2^31 bytes between ranks: use fewer distances");
    }
    return static_cast<int>(length);
  }

  int rank_ = 0;
  int size_ = 1;
};

#endif

}  // namespace

LaunchedAs launched_as() {
  // A batch job has a number of tasks whether or not this process is one of them: the rank decides.
  const int rank = first_number(kRankVariables), size = first_number(kSizeVariables);
  if (rank < 0 || size <= rank) return {};
  const int local = first_number(kLocalRankVariables);
  return {rank, size, local < 0 ? rank : local};
}

std::unique_ptr<Ranks> join_ranks() {
  if (launched_as().size == 1) return std::make_unique<SoloRanks>();
#ifdef TAPALAB_HAVE_MPI
  return std::make_unique<MpiRanks>();
#else
  throw UnavailableError(
      "mpirun started several processes, and this program was built without MPI; build with "
      "-DTAPALAB_MPI=on, or share the work out with --shard I/N");
#endif
}

}  // namespace tapalab::cli
