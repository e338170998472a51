"""Calls libtapalab_attention.so on PyTorch tensors, and beside PyTorch's own attention.

    python3 attention_example.py LIBRARY           one call, compared with float64
    python3 attention_example.py LIBRARY compare   times beside FlashAttention-2 and cuDNN; `turns`
                                                   has phases that need reduction first
    ... compare NAME=LIBRARY ...                   and beside other builds of the library, such as
                                                   one with -DTAPALAB_ATTENTION_CONSTANT_PHASE
"""

import ctypes
import math
import random
import sys

import torch


class Problem(ctypes.Structure):
    _fields_ = (
        [(name, ctypes.c_void_p) for name in ("query", "key", "value", "out", "log_sum_exp")]
        + [(name, ctypes.c_int64 * 3)
           for name in ("query_strides", "key_strides", "value_strides", "out_strides")]
        + [(name, ctypes.c_int64) for name in ("rows", "keys", "offset")]
        + [("alpha", ctypes.c_double)]
        + [(name, ctypes.c_int32)
           for name in ("batch", "heads", "key_heads", "head_dim", "amplitude_dim", "fp16",
                        "causal", "linear")])


class Attention:
    """softmax(scores) v for q (batch, heads, rows, dim), k and v (batch, key heads, keys, dim)."""

    def __init__(self, library):
        self.library = ctypes.CDLL(library)
        self.library.tapalab_attention_error.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        if getattr(self.library, "tapalab_attention_" + name)(*arguments):
            raise RuntimeError(self.library.tapalab_attention_error().decode())

    def plan(self, q, k, v, amplitude_dim, causal, alpha=0.1, offset=0, log_sum_exp=False):
        """Returns (run, out, lse): `run()` computes into `out`, on the current stream."""
        out = torch.empty_like(q)
        lse = (torch.empty(q.shape[:3], device=q.device, dtype=torch.float32)
               if log_sum_exp else None)
        p = Problem(query=q.data_ptr(), key=k.data_ptr(), value=v.data_ptr(), out=out.data_ptr(),
                    log_sum_exp=lse.data_ptr() if log_sum_exp else None, rows=q.shape[2],
                    keys=k.shape[2], offset=offset, alpha=alpha, batch=q.shape[0],
                    heads=q.shape[1], key_heads=k.shape[1], head_dim=q.shape[3],
                    amplitude_dim=amplitude_dim, fp16=q.dtype == torch.float16, causal=causal)
        for name, tensor in (("query", q), ("key", k), ("value", v), ("out", out)):
            setattr(p, name + "_strides", (ctypes.c_int64 * 3)(*tensor.stride()[:3]))
        size = ctypes.c_size_t()
        self.call("workspace_bytes", ctypes.byref(p), ctypes.byref(size))
        workspace = torch.empty(size.value, device=q.device, dtype=torch.uint8)
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.call("prepare", ctypes.byref(p), ctypes.c_void_p(workspace.data_ptr()), stream)

        def run(keep=(q, k, v, workspace)):
            self.call("forward", ctypes.byref(p), ctypes.c_void_p(workspace.data_ptr()), stream)
            return out

        return run, out, lse


def reference(q, k, v, amplitude_dim, causal, alpha=0.1, offset=0):
    """Eq. 12 and the softmax in float64."""
    q, k, v = (x.double() for x in (q, k, v))
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    d = amplitude_dim
    distance = (torch.arange(q.shape[2], device=q.device)[:, None] + offset
                - torch.arange(k.shape[2], device=q.device)[None, :])
    phase = q[..., d:] @ k[..., d:].mT / math.sqrt(q.shape[3] - d)
    score = (q[..., :d] @ k[..., :d].mT / math.sqrt(d)
             * torch.cos(2 * math.pi * distance.abs().double() ** alpha * phase))
    if causal:
        score = score.masked_fill(distance < 0, -math.inf)
    return torch.softmax(score, -1) @ v


def example(attention):
    q = torch.randn(1, 8, 1000, 128, device="cuda", dtype=torch.bfloat16)
    k, v = (torch.randn(1, 2, 1000, 128, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    run, out, _ = attention.plan(q, k, v, amplitude_dim=64, causal=True)
    run()
    exact = reference(q, k, v, 64, True)
    print("relative error %.2e" % ((out.double() - exact).norm() / exact.norm()).item())


def compare(attention, others):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def sdpa(backend, q, k, v, causal):
        def run():
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        return run

    print("medians in ms (10th, 90th percentile); heads 32, head dim 128, bf16; interleaved")
    for causal in (True, False):
        for length in (4096, 16384, 32768, 131072):
            batch = max(1, 16384 // length)
            q, k, v = (torch.randn(batch, 32, length, 128, device="cuda", dtype=torch.bfloat16)
                       for _ in range(3))
            runs = {"flash2": sdpa(SDPBackend.FLASH_ATTENTION, q, k, v, causal),
                    "cudnn": sdpa(SDPBackend.CUDNN_ATTENTION, q, k, v, causal),
                    "plain": attention.plan(q, k, v, 0, causal)[0],
                    "tapa": attention.plan(q, k, v, 64, causal)[0],
                    "turns": attention.plan(q, k, v, 64, causal, alpha=0.7)[0]}
            for name, other in others.items():
                runs[name] = other.plan(q, k, v, 64, causal)[0]
            times = {name: [] for name in runs}
            for name, run in runs.items():
                run()
            rounds = 40 if length < 16384 else 20 if length < 100000 else 5
            for _ in range(rounds):
                # In a new order each round: the chip's power limit lets a kernel pay for the one
                # before it.
                for name, run in random.sample(list(runs.items()), len(runs)):
                    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                    start.record()
                    run()
                    stop.record()
                    stop.synchronize()
                    times[name].append(start.elapsed_time(stop))
            median = {}
            line = "%-6s B=%d L=%6d " % ("causal" if causal else "full", batch, length)
            for name, t in times.items():
                t.sort()
                median[name] = t[len(t) // 2]
                line += " %s %.3f (%.3f, %.3f)" % (name, median[name], t[len(t) // 10],
                                                   t[-1 - len(t) // 10])
            flops = 4 * batch * 32 * length**2 * 128 * (0.5 if causal else 1)
            print(line)
            print("       tapa: %.0f TFLOP/s; over" % (flops / median["tapa"] / 1e9),
                  ", ".join("%s %.3f" % (name, median["tapa"] / median[name])
                            for name in runs if name not in ("tapa", "turns")),
                  "; turns over flash2 %.3f" % (median["turns"] / median["flash2"]), flush=True)


if __name__ == "__main__":
    attention_ = Attention(sys.argv[1])
    torch.manual_seed(0)
    random.seed(0)
    if sys.argv[2:3] == ["compare"]:
        compare(attention_, {name: Attention(library) for name, library in
                             (argument.split("=", 1) for argument in sys.argv[3:])})
    else:
        example(attention_)
