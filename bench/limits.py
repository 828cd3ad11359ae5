"""Physical limits of the machine: GEMM rate, memory bandwidth, histogram rate.

Needs a C compiler (cc) and 3 GiB of memory.
"""

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

C_SOURCE = r"""
#include <stddef.h>
#include <stdint.h>
/* STREAM triad a = b + s*c, and a pure read (sum), each thread its own slice. */
void triad(double *a, const double *b, const double *c, ptrdiff_t lo, ptrdiff_t hi) {
  for (ptrdiff_t i = lo; i < hi; i++) a[i] = b[i] + 3.0 * c[i];
}
double readsum(const double *b, ptrdiff_t lo, ptrdiff_t hi) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
  double v[64] = {0};
  ptrdiff_t i = lo;
  for (; i + 64 <= hi; i += 64) for (int k = 0; k < 64; k++) v[k] += b[i + k];
  for (int k = 0; k < 64; k += 8) { s0 += v[k]; s1 += v[k+1]; s2 += v[k+2]; s3 += v[k+3];
    s4 += v[k+4]; s5 += v[k+5]; s6 += v[k+6]; s7 += v[k+7]; }
  return s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;
}
/* Gradient histogram as in boosted trees: row-major u8 bins, f32 (grad, hess) pairs. */
void hist(const uint8_t *bins, const float *gh, ptrdiff_t lo, ptrdiff_t hi, int p, float *out) {
  for (ptrdiff_t i = lo; i < hi; i++) {
    float g = gh[2 * i], h = gh[2 * i + 1];
    const uint8_t *r = bins + i * p;
    for (int j = 0; j < p; j++) { float *o = out + 2 * (256 * j + r[j]); o[0] += g; o[1] += h; }
  }
}
"""


def seconds(threads, call):
    """Least of five times of call(i) on each of so many threads.

    CPU time for one thread, since a crowded machine disturbs that less; wall time for more.
    """

    def once():
        if threads == 1:
            t = time.thread_time()
            call(0)
            return time.thread_time() - t
        team = [threading.Thread(target=call, args=(i,)) for i in range(threads)]
        t = time.perf_counter()
        for member in team:
            member.start()
        for member in team:
            member.join()
        return time.perf_counter() - t

    return min(once() for _ in range(5))


def compiled():
    """The C loops above as a library; ctypes releases the interpreter lock while they run."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "loops.c"), os.path.join(folder, "loops.so")
        with open(source, "w") as f:
            f.write(C_SOURCE)
        flags = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
        subprocess.run(["cc", *flags, source, "-o", library], check=True)
        lib = ctypes.CDLL(library)
    pointer, length = ctypes.c_void_p, ctypes.c_ssize_t
    lib.triad.argtypes = [pointer, pointer, pointer, length, length]
    lib.readsum.argtypes = [pointer, length, length]
    lib.readsum.restype = ctypes.c_double
    lib.hist.argtypes = [pointer, pointer, length, length, ctypes.c_int, pointer]
    return lib


def memory_limits(threads):
    import numpy as np

    lib = compiled()
    n = 1 << 27  # 1 GiB an array: far more than any last-level cache
    rows, p = 2_000_000, 28
    a, b, c = (np.full(n, value) for value in (0.0, 1.0, 2.0))
    bins = np.random.default_rng(0).integers(0, 255, (rows, p), dtype=np.uint8)
    gradients = np.ones((rows, 2), np.float32)
    sums = [np.zeros((p, 256, 2), np.float32) for _ in range(threads)]
    cut = [n * i // threads for i in range(threads + 1)]
    row = [rows * i // threads for i in range(threads + 1)]
    pa, pb, pc, pbins, pgrad = (v.ctypes.data for v in (a, b, c, bins, gradients))

    def triad(i):
        lib.triad(pa, pb, pc, cut[i], cut[i + 1])

    def read(i):
        lib.readsum(pb, cut[i], cut[i + 1])

    def histogram(i):
        lib.hist(pbins, pgrad, row[i], row[i + 1], p, sums[i].ctypes.data)

    return {
        f"triad_gbs_{threads}t": 24 * n / seconds(threads, triad) / 1e9,
        f"read_gbs_{threads}t": 8 * n / seconds(threads, read) / 1e9,
        f"hist_gupdates_{threads}t": rows * p / seconds(threads, histogram) / 1e9,
    }


GEMM = """
import numpy as np, time, sys
n = int(sys.argv[1])
clock = time.process_time if sys.argv[2] == "1" else time.perf_counter
for dtype in (np.float64, np.float32):
    a = np.random.default_rng(0).random((n, n)).astype(dtype)
    b = a.T.copy()
    a @ b
    times = []
    for _ in range(4):
        t = clock()
        a @ b
        times.append(clock() - t)
    print(2 * n**3 / min(times) / 1e9)
"""


def gemm_limits(threads, n):
    """In a process of its own, since BLAS reads its thread count once."""
    env = dict(os.environ)
    env.update({f"{v}_NUM_THREADS": str(threads) for v in ("OMP", "OPENBLAS", "MKL")})
    command = [sys.executable, "-c", GEMM, str(n), str(threads)]
    out = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    f64, f32 = map(float, out.split())
    return {f"gemm_f64_gflops_{threads}t": f64, f"gemm_f32_gflops_{threads}t": f32}


def measure(threads, quick=False):
    return {**gemm_limits(threads, 2048 if quick else 4096), **memory_limits(threads)}


if __name__ == "__main__":
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    print(json.dumps({k: round(v, 2) for k, v in measure(threads).items()}, indent=1))
