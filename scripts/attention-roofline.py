#!/usr/bin/env python3
"""docs/results/data/attention-roofline.csv from the times in docs/results/attention-forward.md:
  scripts/attention-roofline.py
Counted are the two products of attention alone, as in the table's TFLOP/s: 4 L^2 D operations a
head, half of that causal. Intensity is that over the bytes that must move once, queries, keys,
values and outputs in bf16: 8 L D a head. Ceilings are derived below; their sources stand in the
captions."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADS, DIM = 32, 128
MEMORY = 4.8e12  # bytes a second
TENSOR = 989e12  # operations a second, bf16, dense
PROCESSORS, TENSOR_A_CYCLE = 132, 4096
LOWEST_CLOCK = 1.4e9  # seen under these kernels
KERNELS = ["TAPA", "plain, ours", "cuDNN", "FlashAttention-2"]


def times(text):
    """Rows (mask, length, {kernel: (median, low, high)}) of the section "Times", ms."""
    section = text.split("## Times")[1].split("\n## ")[0]
    header = None
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if "FlashAttention-2" in cells:
            header = cells
        elif header and cells[0] in ("causal", "full"):
            found = {}
            for name, cell in zip(header[2:], cells[2:]):
                number = re.fullmatch(r"([\d.]+) \(([\d.]+), ([\d.]+)\)", cell)
                if number and name in KERNELS:
                    found[name] = tuple(float(x) for x in number.groups())
            yield cells[0], int(cells[1].rstrip("k")) * 1024, found


def cycles(text, unit):
    """Of the table "Where the time goes": cycles of a unit for a pair of tiles."""
    row = re.search(rf"^\| {unit}[^|]*\| ([\d,]+) \|", text, re.MULTILINE)
    return int(row.group(1).replace(",", ""))


def main():
    text = (ROOT / "docs/results/attention-forward.md").read_text()
    # A score needs 4 D operations of the tensor cores and, in TAPA, two special functions (cosine
    # and exponential), of which a processor has 16 a cycle: at D = 128 as many cycles as the
    # products take, by the table of cycles a few more for row maxima. Plain attention needs half.
    tensor_cycles, special_cycles = cycles(text, "tensor cores"), cycles(text, "special-function")
    special = TENSOR * tensor_cycles / special_cycles
    # One after the other rather than side by side: the floor of a kernel that does not overlap.
    in_turn = 1 / (1 / TENSOR + 1 / special)
    slow = TENSOR_A_CYCLE * PROCESSORS * LOWEST_CLOCK
    ridge = TENSOR / MEMORY
    rows = []
    for mask, length, found in times(text):
        batch = max(1, 16384 // length)
        share = 0.5 if mask == "causal" else 1
        work = share * 4 * length**2 * DIM * HEADS * batch
        intensity = share * 4 * length**2 * DIM / (8 * length * DIM)
        for kernel in KERNELS:
            median, low, high = (work / (1e-3 * t) / 1e12 for t in found[kernel])
            rows.append((kernel, mask, intensity, median, high, low))
    lines = [
        "# title: Attention forward on an H200 under its ceilings",
        "# x: products a byte of queries, keys, values and outputs (FLOP/B)",
        "# x_axis: decades",
        "# y: TFLOP/s (products of scores and output)",
        "# y_axis: decades",
        "# joined: no",
        f"# x_span: 30,{max(row[2] for row in rows):g}",
        f"# line: 30,{30 * MEMORY / 1e12:g} {ridge:.6g},{TENSOR / 1e12:g} = memory, 4.8 TB/s, up to"
        f" {ridge:.0f} FLOP/B",
        f"# rule: {TENSOR / 1e12:g} = tensor cores, bf16: {TENSOR / 1e12:g} TFLOP/s",
        f"# rule: {special / 1e12:.4g} = special-function unit, TAPA at D = 128: {special / 1e12:.0f}"
        f" TFLOP/s at the same clock ({special_cycles:,} cycles a pair of tiles, {tensor_cycles:,} of the"
        " tensor cores)",
        f"# rule: {in_turn / 1e12:.4g} = tensor cores and special functions of TAPA one after the other"
        f" at the first clock: {in_turn / 1e12:.0f} TFLOP/s",
        f"# rule: {slow / 1e12:.4g} = tensor cores at {LOWEST_CLOCK / 1e9:g} GHz, the lowest clock seen under"
        f" these kernels (power limit): {slow / 1e12:.0f} TFLOP/s",
        "# caption: One H200, bf16, head dim 128, 32 heads, share 1/2, lengths 4k to 128k (intensity"
        " L/4 causal, L/2 full), B = max(1, 16k/L). Medians; bars: 10th to 90th percentile. Filled:"
        " causal; hollow: full.",
        "# caption: Intensity counts what must move once; keys and values that are read again are not"
        " counted. Memory and tensor cores: NVIDIA's H200 data sheet (4.8 TB/s; 1,979 TFLOP/s with"
        " sparsity, half of it dense). Special functions: 16 results a cycle and multiprocessor (CUDA"
        " programming guide, arithmetic throughput), two a score.",
        "# caption: Times, machine, command and profile: docs/results/attention-forward.md.",
        "curve,x,y,low,high,hollow",
    ]
    for kernel in KERNELS:
        for mask in ("causal", "full"):
            for name, of, x, y, low, high in rows:
                if (name, of) == (kernel, mask):
                    hollow = 1 if mask == "full" else 0
                    lines.append(f'"{kernel}",{x:g},{y:.5g},{low:.5g},{high:.5g},{hollow}')
    (ROOT / "docs/results/data/attention-roofline.csv").write_text("\n".join(lines) + "\n")


main()
