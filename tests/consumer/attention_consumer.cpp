// Uses the installed C++ and C interfaces of the fused attention: what both say of one problem,
// which takes no device.
#include <cstdio>

#include "gpu/attention/attention.hpp"
#include "gpu/attention/attention_c.h"
#include "sim/encoding.hpp"
#include "sim/errors.hpp"

int main() {
  tapalab::attention::Problem problem;
  problem.rows = problem.keys = 1000;
  problem.law = tapalab::PhaseLaw::power;
  const std::size_t bytes = tapalab::attention::workspace_bytes(problem);

  tapalab_attention_problem same = {};
  same.rows = same.keys = 1000;
  same.alpha = problem.alpha;
  same.batch = same.heads = same.key_heads = 1;
  same.head_dim = problem.head_dim;
  same.amplitude_dim = problem.amplitude_dim;
  std::size_t same_bytes = 0;
  const int status = tapalab_attention_workspace_bytes(&same, &same_bytes);

  same.key_heads = 2;  // does not divide heads = 1
  const int refused = tapalab_attention_workspace_bytes(&same, &same_bytes);
  std::printf("%zu bytes, %zu through C; a malformed problem: code %d, %s\n", bytes, same_bytes,
              refused, tapalab_attention_error());
  return status == 0 && bytes > 0 && bytes == same_bytes && refused == 2 ? 0 : 1;
}
