#!/usr/bin/env python3
"""Pollock, the benchmark of table loading (Vitagliano et al., VLDB 2023), for `ermine convert`.

    python3 bench/pollock.py FOLDER [--binary target/release/ermine] [--worst 20]

FOLDER is a checkout of github.com/HPI-Information-Systems/Pollock, with `polluted_files`, `survey_sample` and
`pollock_weights.json`. Every file of a folder `csv` is converted without a hint and compared with its namesake in `clean`.
A file scores between 0 and 10: one point for being loaded, and precision, recall and their harmonic mean for the header,
the records and the cells, all as multisets. A record is its cells put together, and cells of header and records are
compared by value: numbers as numbers, the case of letters ignored. Cells on their own are compared as spelled.

The simple score is the mean over files; the weighted one weighs the polluted files by how common their pollution is.
"""
import argparse
import csv
import io
import json
import subprocess
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

csv.field_size_limit(2**31 - 1)


def value(cell):
    """A cell as compared in headers and records."""
    text = cell.strip()
    if text in ("True", "true"):
        return "1"
    if text in ("False", "false"):
        return "0"
    try:
        return str(int(text))
    except ValueError:
        pass
    try:
        return str(float(text))
    except ValueError:
        return cell.lower()


def rows_of(data):
    """The rows of clean CSV text."""
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig", errors="replace"), newline="")))


def agreement(expected, loaded):
    """Precision, recall and their harmonic mean of two multisets, added up."""
    if not expected:
        return 3.0
    common = sum((Counter(expected) & Counter(loaded)).values())
    if not common:
        return 0.0
    precision, recall = common / len(expected), common / len(loaded)
    return precision + recall + 2 * precision * recall / (precision + recall)


def score(clean, loaded):
    """The three agreements of a loaded file: of headers, records and cells."""
    expected, loaded = rows_of(clean), rows_of(loaded)
    if not expected:
        return 3.0, 3.0, 3.0
    header = agreement([value(c) for c in expected[0]], [value(c) for c in loaded[0]] if loaded else [])
    records = lambda rows: ["".join(map(value, row)) for row in rows[1:]]
    cells = lambda rows: [c for row in rows for c in row]
    return header, agreement(records(expected), records(loaded)), agreement(cells(expected), cells(loaded))


def run(binary, folder, name):
    """Score and seconds of one file; what the binary said where it failed."""
    with tempfile.TemporaryDirectory() as out:
        target = Path(out) / "out.csv"
        begun = time.perf_counter()
        done = subprocess.run([binary, "convert", folder / "csv" / name, "-o", target, "--quiet"], capture_output=True)
        seconds = time.perf_counter() - begun
        if done.returncode != 0:
            return name, (0.0, 0.0, 0.0, 0.0), seconds, done.stderr.decode(errors="replace").strip()
        parts = score((folder / "clean" / name).read_bytes(), target.read_bytes())
        return name, (1.0, *parts), seconds, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--binary", default="target/release/ermine")
    parser.add_argument("--worst", type=int, default=10, help="how many of the lowest scores are shown")
    parser.add_argument("--set", choices=["polluted_files", "survey_sample"], help="one set of files alone")
    args = parser.parse_args()
    weights = json.loads((args.folder / "pollock_weights.json").read_text())
    for which in [args.set] if args.set else ["polluted_files", "survey_sample"]:
        folder = args.folder / which
        names = sorted(p.name for p in (folder / "csv").iterdir() if (folder / "clean" / p.name).exists())
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda name: run(args.binary, folder, name), names))
        total = {name: sum(parts) for name, parts, _, _ in results}
        line = f"{which}: {len(names)} files, simple {sum(total.values()) / len(names):.4f}"
        if which == "polluted_files":
            weight = {name: weights.get(name, 0.0) for name in names}
            line += f", weighted {sum(total[n] * weight[n] for n in names) / sum(weight.values()):.4f}"
        slowest = max(results, key=lambda r: r[2])
        failed = sum(1 for _, parts, _, _ in results if parts[0] == 0.0)
        print(f"{line}, {failed} not loaded, slowest {slowest[2]:.2f} s ({slowest[0]})")
        for name, parts, _, said in sorted(results, key=lambda r: sum(r[1]))[: args.worst]:
            print(f"  {sum(parts):6.3f}  {name}  header {parts[1]:.3f} records {parts[2]:.3f} cells {parts[3]:.3f}  {said}")


if __name__ == "__main__":
    main()
