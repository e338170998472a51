"""The peer of sampling_benchmark in NumPy: normals a second, and TAPA samples a second at D = 128
and 16 distances (mean and variance of the score), one thread, processor time, medians of nine.

    python3 tests/benchmarks/numpy_peer.py

scripts/sampling-speed.sh runs it beside sampling_benchmark.
"""
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import statistics
import time

import numpy as np

DIM, RHO, ALPHA = 128, 0.25, 0.1
REPEATS = 9
DISTANCES = 2.0 ** np.arange(16)


def rate(work, items):
    """Items a second of processor time, the median of REPEATS."""
    work()
    rates = []
    for _ in range(REPEATS):
        begin = time.process_time()
        work()
        rates.append(items / (time.process_time() - begin))
    return statistics.median(rates)


def normals(rng, dtype):
    count = 1 << 20
    return rate(lambda: rng.standard_normal(count, dtype=dtype), count)


def tapa(rng, dtype, batch):
    """Scores q_A.k_A/sqrt(dA) cos(2 pi s q_P.k_P/sqrt(dP)) of a batch, and their two moments."""
    half = DIM // 2
    scale = (2 * np.pi * DISTANCES**ALPHA / np.sqrt(half)).astype(dtype)
    tail = dtype(np.sqrt(1 - RHO * RHO))

    def work():
        q = rng.standard_normal((batch, DIM), dtype=dtype)
        k = dtype(RHO) * q + tail * rng.standard_normal((batch, DIM), dtype=dtype)
        product = q * k
        amplitude = product[:, :half].sum(axis=1) / dtype(np.sqrt(half))
        phi = product[:, half:].sum(axis=1)
        score = amplitude[:, None] * np.cos(phi[:, None] * scale[None, :])
        return score.mean(axis=0), score.var(axis=0)

    return rate(work, batch)


def main():
    rng = np.random.Generator(np.random.SFC64(1))
    print(f"NumPy {np.__version__}, {rng.bit_generator.__class__.__name__}")
    print(f"normals, float32         {normals(rng, np.float32):.3g}/s")
    print(f"normals, float64         {normals(rng, np.float64):.3g}/s")
    for batch in (256, 4096):
        print(f"TAPA samples, float32, batches of {batch:<5} {tapa(rng, np.float32, batch):.3g}/s")
        print(f"TAPA samples, float64, batches of {batch:<5} {tapa(rng, np.float64, batch):.3g}/s")


if __name__ == "__main__":
    main()
