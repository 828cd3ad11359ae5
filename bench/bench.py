#!/usr/bin/env python3
"""Side-by-side benchmark of machine-learning packages on the CPU, at equal quality.

    python bench.py --quick
    python bench.py kmeans ridge_tall --peers ermine,sklearn,faiss --json out.json
    python bench.py --show out.json

Tasks are names, groups or prefixes of names. Without any, those that Ermine can do.
"""

import argparse
import json
import os
import sys
import time

import limits
import report
import rounds
from tasks import TASKS

# Compile before the first result or crawl: left out of --quick unless named.
SLOW_START = ("skglm", "lleaves", "treelite", "libsvm")


def arguments():
    ap = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ap.add_argument("tasks", nargs="*", metavar="task")
    ap.add_argument("--all", action="store_true", help="every task, also those Ermine cannot do")
    ap.add_argument("--skip", default="", metavar="A,B", help="tasks to leave out")
    ap.add_argument("--peers", default="", metavar="A,B", help="files in peers/; default all")
    ap.add_argument("--quick", action="store_true", help="small sizes, one round")
    ap.add_argument("--list", action="store_true", help="print the tasks and end")
    ap.add_argument("--json", default="", metavar="FILE", help="write every run there")
    ap.add_argument("--show", metavar="FILE", help="print the report of an earlier run")
    ap.add_argument("--log", default=os.devnull, metavar="FILE", help="stderr of the contestants")
    how = ap.add_argument_group("how to measure")
    how.add_argument("--threads", type=int, default=2)
    how.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    how.add_argument("--repeat", type=int, help="rounds; default 3, with --quick 1")
    how.add_argument("--timeout", type=float, default=180, help="seconds an operation may take")
    how.add_argument("--slow", type=float, default=3.0, help="one run for who is so far behind")
    how.add_argument("--full-repeats", action="store_true", help="all rounds for them too")
    how.add_argument("--limits", action="store_true", help="measure the machine too (needs cc)")
    how.add_argument("--python", action="append", default=[], metavar="PEER=PYTHON",
                     help="another interpreter for one adapter")  # fmt: skip
    noise = ap.add_argument_group("on a shared machine")
    noise.add_argument("--extra", type=int, default=2, help="more rounds for disturbed runs")
    noise.add_argument("--extra-limit", type=float, default=4.0, help="but not for longer ones")
    noise.add_argument("--warm-limit", type=float, default=4.0,
                       help="a first fit longer than this counts as a round")  # fmt: skip
    noise.add_argument("--wait-idle", type=float, default=0.0, metavar="SECONDS",
                       help="before each run wait so long for a quiet machine")  # fmt: skip
    noise.add_argument("--resume", action="store_true", help="keep the tasks that --json holds")
    noise.add_argument("--redo-noisy", type=float, metavar="CORES",
                       help="with --resume: again where others took more than this")  # fmt: skip
    args = ap.parse_args()
    if args.quick:
        args.warm_limit, args.extra, args.timeout = 1.0, 0, min(args.timeout, 60)
    args.repeat = args.repeat or (1 if args.quick else 3)
    interpreters = dict(pair.split("=", 1) for pair in args.python)
    args.python_of = lambda adapter: interpreters.get(adapter, sys.executable)
    return args


def words(text):
    return [w for w in text.split(",") if w]


def matches(task, word):
    """A full name means that task alone, even where it begins another name."""
    if word in TASKS:
        return task.name == word
    return task.group == word or task.name.startswith(word)


def chosen(args, ours):
    """The tasks to run, in the given order."""
    for word in [*args.tasks, *words(args.skip)]:
        if not any(matches(t, word) for t in TASKS.values()):
            sys.exit(f"no task, group or prefix {word!r}; --list shows them")
    if args.tasks:
        picked = [t for w in args.tasks for t in TASKS.values() if matches(t, w)]
    else:
        picked = [t for t in TASKS.values() if args.all or not ours or t.name in ours]
    skipped = [t for w in words(args.skip) for t in TASKS.values() if matches(t, w)]
    return [t for t in dict.fromkeys(t.name for t in picked) if TASKS[t] not in skipped]


def keep(entry, limit):
    """Is an earlier result of a task good enough?"""
    foreign = [r["foreign"] for r in entry["contestants"].values() if "foreign" in r]
    return limit is None or bool(foreign and max(foreign) <= limit)


def main():
    args = arguments()
    if args.list:
        for t in TASKS.values():
            print(f"{t.name:22}{t.group:10}{t.doc}")
        return
    if args.show:
        with open(args.show) as f:
            print(report.report(json.load(f)))
        return
    peers = words(args.peers) or rounds.adapters()
    if unknown := set(peers) - set(rounds.adapters()):
        sys.exit(f"no adapter {', '.join(sorted(unknown))} in peers/")
    can, unusable = rounds.catalogue(peers, args)
    if args.quick and not args.peers:
        can = {peer: names for peer, names in can.items() if peer not in SLOW_START}
    for peer, reason in unusable.items():
        print(f"{peer}: {reason}", file=sys.stderr)

    results = dict(date=time.strftime("%Y-%m-%d %H:%M"), quick=args.quick, threads=args.threads,
                   clock=args.clock, limits=None, versions={}, tasks={})  # fmt: skip
    if args.resume and os.path.exists(args.json):
        with open(args.json) as f:
            old = json.load(f)
        results.update({k: old[k] for k in ("limits", "versions", "tasks")})
    if args.limits:
        results["limits"] = limits.measure(args.threads, args.quick)
    ours = {name.split(":")[0] for name in can.get(report.SUBJECT, ())}
    shared, start = {}, time.time()
    with open(args.log, "w") as args.log:
        for name in chosen(args, ours):
            entries = [(p, n) for p, ns in can.items() for n in ns if n.split(":")[0] == name]
            done = results["tasks"].get(name)
            if not entries or (done and keep(done, args.redo_noisy)):
                continue
            records = rounds.Race(TASKS[name], entries, args, shared).run()
            for record in records.values():
                results["versions"].update(record.pop("versions", {}))
            results["tasks"][name] = dict(contestants=records, load=os.getloadavg()[0])
            best = report.judge(name, results)
            answer = f"{best['label']} {report.seconds(best['time'])}" if best else "nobody passed"
            print(f"[{time.time() - start:5.0f} s] {name:22}{answer}", file=sys.stderr, flush=True)
            if args.json:
                with open(args.json, "w") as f:
                    json.dump(results, f, indent=1, default=float)
        for worker in shared.values():
            worker.quit()
    print(report.report(results))


if __name__ == "__main__":
    main()
