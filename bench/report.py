"""Who meets the quality gate, who is how fast against whom, as text for a terminal."""

import textwrap

from rounds import QUIET
from tasks import TASKS

SUBJECT = "ermine"  # the package the others are compared with
WIDTH = 100
RATES = dict(
    flops64="gemm_f64_gflops", flops32="gemm_f32_gflops", bytes="read_gbs", hist="hist_gupdates"
)


def judge(name, results):
    """Sets `passes` and `time` of every contestant of a task; returns the fastest that passes."""
    task, records = TASKS[name], results["tasks"][name]["contestants"]
    figures = {k: next(iter(r["quality"].values())) for k, r in records.items() if r.get("quality")}
    direction, slack = task.gate
    best = (min if direction == "min" else max)(figures.values(), default=None)
    gate_task = results["tasks"].get(task.gate_from, dict(contestants={}))["contestants"]
    for label, record in records.items():
        record["time"] = record.get(f"t_{task.primary}")
        record["passes"] = "error" not in record and gate_task.get(label, {}).get("passes", True)
        if label in figures:
            behind = abs(figures[label] - best)
            record["passes"] &= behind <= slack * abs(best)
    return fastest(r for r in records.values() if r["passes"])


def fastest(records):
    return min((r for r in records if r.get("time")), key=lambda r: r["time"], default=None)


def best_variant(records):
    """The fastest variant of a package that meets the gate, or else the fastest."""
    records = list(records)
    return fastest(r for r in records if r["passes"]) or fastest(records)


def floor_seconds(task, results):
    """Least time the known work of the task needs at the rates that limits.py measured."""
    limits = results.get("limits")
    if not task.work or not limits:
        return None
    work = task.work(task.size(results["quick"]), task.parameters(results["quick"]))
    rates = {k: limits[f"{RATES[k]}_{results['threads']}t"] * 1e9 for k in work}
    return max(amount / rates[k] for k, amount in work.items())


def seconds(t):
    if t is None:
        return "-"
    if t >= 1:
        return f"{t:.2f} s"
    return f"{t * 1e3:.3g} ms" if t >= 1e-3 else f"{t * 1e6:.3g} us"


def size(n):
    return f"{n / 1e9:.2f} GB" if n >= 1e9 else f"{n / 1e6:.0f} MB"


def figures(quality):
    """The gated figure in full, the others in short."""
    (_, first), *rest = quality.items() if quality else [("", "")]
    shown = [f"{first:<11.8g}" if first != "" else "", *(f"{k} {v:.4g}" for k, v in rest)]
    return " ".join(shown).rstrip()


def ratio(record, reference):
    """How many times the reference is faster."""
    return record["time"] / reference["time"] if record.get("time") and reference else None


def disturbed(record, results):
    """Did other processes take so much of the machine that the time is unreliable?"""
    return results["clock"] == "wall" and record.get("foreign", 0) > QUIET


def detail(name, results):
    """A block a task: every contestant with times, memory and quality."""
    task, entry = TASKS[name], results["tasks"][name]
    records = entry["contestants"]
    best = judge(name, results)
    own = best_variant(r for r in records.values() if r["peer"] == SUBJECT)
    reference = own or best
    shape = [f"{k}={getattr(v, '__name__', v)}" for k, v in task.size(results["quick"]).items()]
    given = max((r.get("input_bytes", 0) for r in records.values()), default=0)
    floor = floor_seconds(task, results)
    facts = [task.doc, *([" ".join(shape)] if shape else []), f"input {size(given)}"]
    facts += [f"compared: {task.primary}"] if task.primary != "fit" else []
    facts += [f"floor {seconds(floor)}"] if floor else []
    lines = textwrap.wrap(f"{name}: {'; '.join(facts)}", WIDTH)
    subject = f"{reference['peer']} is" if reference else ""
    gated = next((next(iter(r["quality"])) for r in records.values() if r.get("quality")), "")
    lines.append(
        f"   {'':24}{subject:>12}{'fit':>9}{'cpu':>8}{'predict':>8}{'peak':>8}{'+fit':>8}  {gated}"
    )
    for r in sorted(records.values(), key=lambda r: r.get("time") or 1e9):
        if "error" in r:
            lines.append(f" ! {r['label']:24}{r['error']}"[:WIDTH])
            continue
        times = ratio(r, reference)
        noisy = "~" if disturbed(r, results) else " "
        mark = "*" if r is best else " " if r["passes"] else "!"
        shown = "-" if r is reference or times is None else f"{times:.2f} x"
        quality = figures(r.get("quality"))
        if task.group == "io":
            quality = f"save {seconds(r['t_save'])}, load {seconds(r['t_load'])}, "
            quality += f"{r.get('bytes', 0) / 1e6:.2f} MB"
        lines.append(
            f"{noisy}{mark} {r['label']:24}{shown:>12}{seconds(r['t_fit']):>9}"
            f"{seconds(r.get('cpu')):>8}{seconds(r['t_predict']):>8}{size(r['rss_peak']):>8}"
            f"{size(max(0, r['rss_fit'])):>8}  {quality}"
        )
    return lines


LEGEND = """\
* fastest that meets the quality gate    ! misses the gate    ~ other processes took part of a core
N x: so many times the other's speed     peak: memory of the process    +fit: what the fit added"""


def summary(results):
    """A line a task: the best peer and how the subject compares with it and with all others."""
    lines, wins, misses, absent, noisy = [], 0, [], [], 0
    for name in results["tasks"]:
        judge(name, results)
        records = results["tasks"][name]["contestants"].values()
        own = best_variant(r for r in records if r["peer"] == SUBJECT)
        peers = {r["peer"] for r in records} - {SUBJECT}
        others = [best_variant(r for r in records if r["peer"] == p) for p in peers]
        others = sorted((r for r in others if r), key=lambda r: (not r["passes"], r["time"]))
        if own is None:
            absent.append(name)
        if not others and own is None:
            lines.append(f" {name:21}nobody finished")
            continue
        rival = others[0] if others else None
        against = ratio(rival, own) if rival and own else None
        if own and not own["passes"]:
            misses.append(name)
        elif own and (against is None or against >= 1 or not rival["passes"]):
            wins += 1
        mark = "!" if own and not own["passes"] else " "
        shaky = any(disturbed(r, results) for r in (own, rival) if r)
        noisy += shaky
        lines.append(
            f"{'~' if shaky else ' '}{name:21}{seconds(own and own['time']):>9}{mark}"
            f"{size(max(0, own['rss_fit'])) if own else '-':>9}   "
            f"{rival['label'] if rival else 'no peer':24}{seconds(rival and rival['time']):>9}"
            f"{'-' if against is None else f'{against:.2f} x':>11}"
        )
        reference = own or rival
        cells = [
            f"{r['label']} {ratio(r, reference):.2f}{'' if r['passes'] else '!'}"
            for r in others
            if r is not rival
        ]
        indent = " " * 6
        lines += textwrap.wrap(
            ", ".join(cells), WIDTH, initial_indent=indent, subsequent_indent=indent
        )
    head = (
        f" {'task':21}{SUBJECT:>9} {'+fit':>9}   {'best peer':24}{'time':>9}{f'{SUBJECT} is':>11}\n"
        f"      time of the other peers / time of {SUBJECT} (where it did not run: the best peer)"
    )
    done = len(results["tasks"]) - len(absent)
    tail = [f"{SUBJECT} is the fastest at equal quality in {wins} of the {done} tasks it ran"]
    if noisy:
        tail.append(f"~ other processes disturbed {noisy} of these comparisons: measure them again")
    if misses:
        tail.append(f"{SUBJECT} misses the quality gate in: {', '.join(misses)}")
    if absent:
        tail.append(f"{SUBJECT} did not run: {', '.join(absent)}")
    wrapped = [line for text in tail for line in textwrap.wrap(text, WIDTH)]
    return [*head.splitlines(), "-" * WIDTH, *lines, "-" * WIDTH, *wrapped]


def report(results):
    """Everything: a block a task, then the ratio table."""
    lines = [
        f"{results['date']}, {results['threads']} thread(s), {results['clock']} clock"
        + (", small sizes" if results["quick"] else "")
    ]
    versions = ", ".join(f"{k} {v}" for k, v in sorted(results["versions"].items()))
    lines += textwrap.wrap(versions, WIDTH)
    if results.get("limits"):
        rates = ", ".join(f"{k} {v:.1f}" for k, v in results["limits"].items())
        lines += textwrap.wrap(f"limits of the machine: {rates}", WIDTH)
    for name in results["tasks"]:
        lines += ["", *detail(name, results)]
    return "\n".join([*lines, "", LEGEND, "", *summary(results)])
