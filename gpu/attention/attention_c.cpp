#include "gpu/attention/attention_c.h"

#include <exception>
#include <string>

#include "gpu/attention/attention.hpp"
#include "sim/encoding.hpp"
#include "sim/errors.hpp"

namespace {

using namespace tapalab;

thread_local std::string last_error;

attention::Strides strides(const std::int64_t (&s)[3]) { return {s[0], s[1], s[2]}; }

attention::Problem problem_of(const tapalab_attention_problem* problem) {
  if (problem == nullptr) throw InputError("attention: problem is a null pointer");
  const tapalab_attention_problem& c = *problem;
  attention::Problem p;
  p.query = c.query;
  p.key = c.key;
  p.value = c.value;
  p.out = c.out;
  p.log_sum_exp = c.log_sum_exp;
  p.query_strides = strides(c.query_strides);
  p.key_strides = strides(c.key_strides);
  p.value_strides = strides(c.value_strides);
  p.out_strides = strides(c.out_strides);
  p.precision = c.fp16 ? attention::Precision::fp16 : attention::Precision::bf16;
  p.batch = c.batch;
  p.heads = c.heads;
  p.key_heads = c.key_heads;
  p.rows = c.rows;
  p.keys = c.keys;
  p.head_dim = c.head_dim;
  p.amplitude_dim = c.amplitude_dim;
  p.offset = c.offset;
  p.causal = c.causal != 0;
  p.alpha = c.alpha;
  p.law = c.linear ? PhaseLaw::linear : PhaseLaw::power;
  return p;
}

// No exception leaves the C interface.
template <class Call>
int guarded(Call&& call) {
  try {
    call();
    return 0;
  } catch (const InputError& error) {
    last_error = error.what();
    return 2;
  } catch (const UnavailableError& error) {
    last_error = error.what();
    return 3;
  } catch (const std::exception& error) {
    last_error = error.what();
    return 1;
  }
}

}  // namespace

int tapalab_attention_workspace_bytes(const tapalab_attention_problem* problem, size_t* bytes) {
  return guarded([&] {
    if (bytes == nullptr) throw InputError("attention: bytes is a null pointer");
    *bytes = attention::workspace_bytes(problem_of(problem));
  });
}

int tapalab_attention_prepare(const tapalab_attention_problem* problem, void* workspace,
                              void* stream) {
  return guarded([&] {
    attention::prepare(problem_of(problem), workspace, static_cast<CUstream_st*>(stream));
  });
}

int tapalab_attention_forward(const tapalab_attention_problem* problem, void* workspace,
                              void* stream) {
  return guarded([&] {
    attention::forward(problem_of(problem), workspace, static_cast<CUstream_st*>(stream));
  });
}

const char* tapalab_attention_error(void) { return last_error.c_str(); }
