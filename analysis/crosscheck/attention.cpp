#include "analysis/crosscheck/attention.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>

#include "analysis/crosscheck/attention_kernel.hpp"
#include "analysis/crosscheck/rounding.hpp"
#include "sim/errors.hpp"

namespace tapalab {
namespace {

constexpr std::size_t kBlock = 1024;
constexpr std::size_t kPart = 64;  // keys that one thread reads and prepares at a time
constexpr std::uint64_t kLongest = std::uint64_t{1} << 28;
constexpr std::size_t kBudgetRows = 8;
constexpr std::uint64_t kBudgetLength = std::uint64_t{1} << 15;

// A kernel and the rows (numbers in `rows`) that it computes.
struct Runner {
  std::unique_ptr<AttentionKernel> kernel;
  std::vector<std::size_t> rows;
  std::uint64_t last_position = 0;
};

class Attention {
 public:
  Attention(const AttentionTask& task, const std::vector<std::uint64_t>& rows)
      : task_(task),
        rows_(rows),
        threads_(task.threads != 0 ? static_cast<int>(task.threads) : omp_get_max_threads()),
        model_(lower(task.encoding, task.tokens->dim())) {}

  std::size_t add(const StageFormats& formats, std::vector<std::size_t> rows) {
    std::uint64_t last_position = 0;
    for (const std::size_t row : rows) last_position = std::max(last_position, rows_[row]);
    runners_.push_back(
        {make_attention_kernel(model_, formats, last_position + 1, rows.size(), kBlock),
         std::move(rows), last_position});
    return runners_.size() - 1;
  }

  void run() {
    set_queries();
    const std::uint64_t length = *std::max_element(rows_.begin(), rows_.end()) + 1;
    for (std::uint64_t first = 0; first < length; first += kBlock) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, length - first));
      take_block(first, count);
      if (task_.progress) {
        task_.progress(static_cast<double>(first + count) / static_cast<double>(length));
      }
    }
  }

  /// rows x head_dim, in the order of the runner's rows.
  std::vector<double> outputs(std::size_t runner) const {
    std::vector<double> all;
    for (std::size_t i = 0; i < runners_[runner].rows.size(); ++i) {
      const auto row = runners_[runner].kernel->output(i);
      all.insert(all.end(), row.begin(), row.end());
    }
    return all;
  }

 private:
  template <class Body>
  void parallel(std::size_t count, const Body& body) const {
    std::exception_ptr failure;
    std::mutex mutex;
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(count); ++i) {
      try {
        body(static_cast<std::size_t>(i));
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
  }

  void set_queries() {
    const std::uint64_t length = task_.tokens->tokens();
    const std::size_t dim = task_.tokens->dim();
    std::vector<std::vector<double>> queries(rows_.size());
    parallel(rows_.size(), [&](std::size_t row) {
      const std::uint64_t first = rows_[row] / 32 * 32;
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(32, length - first));
      const TokenBlock block = task_.tokens->read(first, count);
      const auto begin = block.q.begin() + static_cast<std::ptrdiff_t>((rows_[row] - first) * dim);
      queries[row].assign(begin, begin + static_cast<std::ptrdiff_t>(dim));
    });
    for (Runner& runner : runners_) {
      for (std::size_t i = 0; i < runner.rows.size(); ++i) {
        const std::size_t row = runner.rows[i];
        runner.kernel->set_query(i, rows_[row], queries[row].data());
      }
    }
  }

  void take_block(std::uint64_t first, std::size_t count) {
    const std::size_t dim = task_.tokens->dim();
    std::vector<double> keys(count * dim), values(count * dim);
    const KeyBlock block{first, count, keys.data(), values.data()};
    parallel((count + kPart - 1) / kPart, [&](std::size_t part) {
      const std::size_t begin = part * kPart, end = std::min(begin + kPart, count);
      const TokenBlock tokens = task_.tokens->read(first + begin, end - begin);
      std::copy(tokens.k.begin(), tokens.k.end(),
                keys.begin() + static_cast<std::ptrdiff_t>(begin * dim));
      std::copy(tokens.v.begin(), tokens.v.end(),
                values.begin() + static_cast<std::ptrdiff_t>(begin * dim));
      for (Runner& runner : runners_) {
        if (runner.last_position >= first) runner.kernel->prepare(block, begin, end);
      }
    });
    std::vector<std::pair<std::size_t, std::size_t>> work;
    for (std::size_t r = 0; r < runners_.size(); ++r) {
      for (std::size_t i = 0; i < runners_[r].rows.size(); ++i) {
        if (rows_[runners_[r].rows[i]] >= first) work.emplace_back(r, i);
      }
    }
    parallel(work.size(),
             [&](std::size_t i) { runners_[work[i].first].kernel->attend(block, work[i].second); });
  }

  const AttentionTask& task_;
  const std::vector<std::uint64_t>& rows_;
  int threads_;
  ScoreModel model_;
  std::vector<Runner> runners_;
};

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), std::minus<>());
  return result;
}

std::vector<double> rows_of(const std::vector<double>& outputs,
                            const std::vector<std::size_t>& rows, std::size_t dim) {
  std::vector<double> result;
  for (const std::size_t row : rows) {
    const auto begin = outputs.begin() + static_cast<std::ptrdiff_t>(row * dim);
    result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(dim));
  }
  return result;
}

// max |(ref + 0.3 - 0.3) - ref| in the io type: what one addition costs numbers of this size.
double io_spacing(const std::vector<double>& reference, FloatFormat io) {
  double largest = 0;
  for (const double exact : reference) {
    const double x = round_to(io, exact);
    const double back = round_to(io, round_to(io, x + 0.3) - 0.3);
    largest = std::max(largest, std::abs(back - x));
  }
  return largest;
}

void check_task(const AttentionTask& task) {
  const std::uint64_t length = task.tokens->tokens();
  if (length > kLongest) {
    throw InputError(fmt::format(
        "--seq-len: {} tokens are too many for rows of attention; accepted: at most 2^28", length));
  }
  if (task.rows.empty() && (task.first_row >= task.last_row || task.last_row > length)) {
    throw InputError(fmt::format(
        "--rows: {}:{} of {} tokens; accepted: A:B with A < B and B at most the number of tokens",
        task.first_row, task.last_row, length));
  }
  for (const std::uint64_t row : task.rows) {
    if (row < length) continue;
    throw InputError(fmt::format("--observed: rows names token {} of {}; accepted: 0 to {}", row,
                                 length, length - 1));
  }
  const std::uint64_t rows = task.rows.empty() ? task.last_row - task.first_row : task.rows.size();
  const std::uint64_t size = rows * task.tokens->dim();
  if (!task.observed.empty() && task.observed.size() != size) {
    throw InputError(fmt::format("--observed: {} values for {} rows of {}; accepted: {}",
                                 task.observed.size(), rows, task.tokens->dim(), size));
  }
}

}  // namespace

std::vector<std::uint64_t> spread_rows(std::uint64_t seq_len, std::uint64_t first,
                                       std::uint64_t last) {
  auto step = static_cast<std::uint64_t>(0.6180339887498949 * static_cast<double>(seq_len));
  step = std::max<std::uint64_t>(step, 1);
  while (std::gcd(step, seq_len) != 1) ++step;
  std::vector<std::uint64_t> rows;
  for (std::uint64_t i = first; i < last; ++i) {
    rows.push_back(seq_len - 1 - i * step % seq_len);
  }
  return rows;
}

AttentionCheck check_attention(const AttentionTask& task) {
  check_task(task);
  AttentionCheck check;
  check.seq_len = task.tokens->tokens();
  check.head_dim = task.tokens->dim();
  check.rows =
      task.rows.empty() ? spread_rows(check.seq_len, task.first_row, task.last_row) : task.rows;

  std::vector<std::size_t> all(check.rows.size()), few;
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const std::size_t row : all) {
    if (check.rows[row] < kBudgetLength && few.size() < kBudgetRows) few.push_back(row);
  }
  const StageFormats formats = formats_of(task.precisions);
  Attention attention(task, check.rows);
  const std::size_t reference = attention.add(StageFormats{}, all);
  const std::size_t kernel = attention.add(formats, all);
  const std::size_t io = attention.add(io_formats_of(task.precisions), all);
  std::vector<std::size_t> partial;  // the first 1 .. kStages - 1 stages in their formats
  for (std::size_t end = 1; end < kStages && !few.empty(); ++end) {
    partial.push_back(attention.add(first_stages(formats, end), few));
  }
  attention.run();

  check.reference = attention.outputs(reference);
  const std::vector<double> emulated = attention.outputs(kernel);
  check.kernel = summarise(difference(emulated, check.reference));
  check.io = summarise(difference(attention.outputs(io), check.reference));
  check.io_spacing = io_spacing(check.reference, task.precisions.io);
  check.tolerance = 2 * check.io.max + 2 * check.io_spacing;
  if (!task.observed.empty()) {
    check.observed = summarise(difference(task.observed, check.reference));
  }
  const ErrorSummary& judged = check.observed ? *check.observed : check.kernel;
  check.holds = judged.non_finite == 0 && judged.max <= check.tolerance;

  check.budget_rows = few.size();
  std::vector<double> before = rows_of(check.reference, few, check.head_dim);
  check.budget_error = summarise(difference(rows_of(emulated, few, check.head_dim), before)).max;
  for (std::size_t stage = 0; stage < kStages && !few.empty(); ++stage) {
    const std::vector<double> after = stage + 1 < kStages ? attention.outputs(partial[stage])
                                                          : rows_of(emulated, few, check.head_dim);
    check.budget.part[stage] = summarise(difference(after, before)).max;
    before = after;
  }
  return check;
}

}  // namespace tapalab
