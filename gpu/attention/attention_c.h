/* Fused TAPA attention forward in C, for ctypes and other languages. Meanings, shapes and limits
 * of the fields: Problem in gpu/attention/attention.hpp. examples: attention_example.py beside
 * this file. */
#ifndef TAPALAB_GPU_ATTENTION_C_H
#define TAPALAB_GPU_ATTENTION_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const void* query; /* device memory */
  const void* key;
  const void* value;
  void* out;
  float* log_sum_exp;       /* may be null */
  int64_t query_strides[3]; /* batch, head, row; in elements */
  int64_t key_strides[3];
  int64_t value_strides[3];
  int64_t out_strides[3];
  int64_t rows, keys, offset;
  double alpha;
  int32_t batch, heads, key_heads;
  int32_t head_dim, amplitude_dim; /* amplitude_dim 0: plain attention */
  int32_t fp16;                    /* 0: bf16 */
  int32_t causal;
  int32_t linear; /* 0: s = distance^alpha; 1: s = alpha distance */
} tapalab_attention_problem;

/* All return 0, or the exit code of the program for that kind of failure: 2 bad input, 3 no
 * device that can run it, 1 anything else; then tapalab_attention_error says what was wrong. */
int tapalab_attention_workspace_bytes(const tapalab_attention_problem* problem, size_t* bytes);
/* Fills the workspace; once for many forward calls of the same lengths, offset and law. */
int tapalab_attention_prepare(const tapalab_attention_problem* problem, void* workspace,
                              void* stream);
int tapalab_attention_forward(const tapalab_attention_problem* problem, void* workspace,
                              void* stream);
/* Of the last failure on this thread; valid until the next. */
const char* tapalab_attention_error(void);

#ifdef __cplusplus
}
#endif

#endif
