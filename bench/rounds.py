"""Runs the contestants of a task against each other, in alternated rounds."""

import json
import os
import select
import statistics
import subprocess
import time

from clocks import wait_idle

HERE = os.path.dirname(os.path.abspath(__file__))
OPERATIONS = ("fit", "predict", "save", "load")
QUIET = 0.3  # cores that others may take during a run that counts as undisturbed


class Worker:
    """A process that runs one adapter; requests go out and answers come back as lines."""

    def __init__(self, adapter, options):
        threads = str(options.threads)
        env = dict(os.environ, PYTHONWARNINGS="ignore")
        for library in ("ERMINE", "OMP", "OPENBLAS", "MKL", "NUMBA", "RAYON"):
            env[f"{library}_NUM_THREADS"] = threads
        env.update(POLARS_MAX_THREADS=threads, LOKY_MAX_CPU_COUNT=threads)
        size = "quick" if options.quick else "full"
        self.process = subprocess.Popen(
            [options.python_of(adapter), os.path.join(HERE, "worker.py"), adapter, size, threads],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=options.log,
            env=env,
            bufsize=0,
        )
        self.buffer = b""

    def send(self, request):
        try:
            self.process.stdin.write(request.encode() + b"\n")
        except OSError:
            pass  # it died: read() will say so

    def read(self, timeout):
        end = time.monotonic() + timeout
        while b"\n" not in self.buffer:
            left = max(0, end - time.monotonic())
            ready, _, _ = select.select([self.process.stdout], [], [], left)
            chunk = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not chunk:
                self.process.kill()
                code = self.process.wait()
                reason = f"died with {code}" if ready else f"over {timeout:.0f} s"
                return dict(ok=False, error=reason)
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def alive(self):
        return self.process.poll() is None

    def quit(self):
        try:
            self.process.stdin.write(b"quit\n")
            self.process.wait(20)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


class Race:
    """The contestants of one task.

    Each gets a fresh process, so that its peak memory is its own; under --quick one process an
    adapter (`shared`) serves all tasks, which is faster.
    """

    def __init__(self, task, entries, options, shared):
        self.task, self.options, self.shared = task, options, shared
        self.main = "fit" if task.primary == "total" else task.primary
        self.records, self.workers = {}, {}
        task.load(options.quick)  # makes the data, before anyone is timed
        for adapter, name in entries:
            self.enter(adapter, name)
        for label in list(self.workers):
            answer = self.workers[label].read(options.timeout)
            if answer.pop("ok"):
                self.records[label].update(answer)
            else:
                self.drop(label, answer["error"])

    def enter(self, adapter, name):
        label = adapter + (":" + name.split(":", 1)[1] if ":" in name else "")
        worker = self.shared.get(adapter)
        if worker is None or not worker.alive():
            worker = Worker(adapter, self.options)
            if self.options.quick:
                self.shared[adapter] = worker
        worker.send("open " + name)
        self.workers[label] = worker
        self.records[label] = dict(
            peer=adapter, label=label, name=name, **{op: [] for op in OPERATIONS}
        )

    def drop(self, label, error=None):
        worker = self.workers.pop(label)
        if error:
            self.records[label]["error"] = error
        if not self.options.quick:
            worker.quit()
        elif worker.alive():
            worker.send("close " + self.records[label]["name"])
            worker.read(self.options.timeout)

    def ask(self, label, command, keep=True):
        """One request; returns None, with the contestant dropped, when it fails."""
        record, worker = self.records[label], self.workers[label]
        wait_idle(self.options.wait_idle)
        worker.send(f"{command} {record['name']}")
        answer = worker.read(self.options.timeout)
        if not answer.pop("ok"):
            return self.drop(label, answer["error"])
        if keep:
            record[command].append(answer)
        return answer

    def after_fit(self, label):
        if self.task.group == "io":
            saved = self.ask(label, "save")
            if saved is not None:
                self.records[label]["bytes"] = saved["bytes"]
                self.ask(label, "load")
        elif self.records[label]["has_predict"]:
            self.ask(label, "predict")

    def warm_up(self, label):
        """The first, cold fit: gives memory and quality; its time counts only if it is long."""
        record = self.records[label]
        cold = self.ask(label, "fit", keep=False)
        if cold is None:
            return
        record.update(
            cold=cold, rss_peak=cold["rss_peak"], rss_fit=cold["rss_peak"] - cold["rss_before"]
        )
        if cold["wall"] > self.options.warm_limit and not record["jit"]:
            record["fit"].append(cold)
        self.after_fit(label)
        if label in self.workers:
            figures = self.ask(label, "quality", keep=False)
            if figures is not None:
                record["quality"] = figures

    def far_behind(self, label, best):
        """One run is enough for a contestant that takes long and is far behind."""
        record, options = self.records[label], self.options
        if options.full_repeats or self.main != "fit":
            return False
        wall = record["cold"]["wall"]
        if wall <= 5 or wall <= options.slow * best or (record["jit"] and not record["fit"]):
            return False
        if not record["fit"]:
            record["fit"].append(record["cold"])
        return True

    def enough(self, label):
        """Has it the requested runs, and enough of them undisturbed?"""
        runs, options = self.records[label][self.main], self.options
        if len(runs) < options.repeat:
            return False
        quiet = sum(run["foreign"] < QUIET for run in runs) >= options.repeat
        exhausted = len(runs) >= options.repeat + options.extra
        return (
            options.clock == "cpu" or quiet or exhausted or runs[-1]["wall"] > options.extra_limit
        )

    def run(self):
        for label in list(self.workers):
            self.warm_up(label)
        best = min((self.records[label]["cold"]["wall"] for label in self.workers), default=0)
        for _ in range(self.options.repeat + self.options.extra):
            for label in list(self.workers):
                if self.far_behind(label, best) or self.enough(label):
                    continue
                if self.main == "fit" and self.ask(label, "fit") is None:
                    continue
                self.after_fit(label)
        for label in list(self.workers):
            self.drop(label)
        for record in self.records.values():
            self.summarize(record)
        return self.records

    def summarize(self, record):
        """Medians of the three runs that other processes disturbed least."""
        for op in OPERATIONS:
            quiet = sorted(record[op], key=lambda run: run["foreign"])[:3]
            times = [run[self.options.clock] for run in quiet]
            record[f"t_{op}"] = statistics.median(times) if times else None
        fit, predict = record["t_fit"], record["t_predict"]
        record["t_total"] = None if fit is None else fit + (predict or 0)
        runs = sorted(record[self.main], key=lambda run: run["foreign"])[:3]
        if runs:
            record["foreign"] = statistics.median(run["foreign"] for run in runs)
            record["cpu"] = statistics.median(run["cpu"] for run in runs)


CATALOGUE = """
import importlib, importlib.metadata as metadata, json, sys
def installed(name):
    try:
        return bool(metadata.version(name))
    except metadata.PackageNotFoundError:
        return False
adapter = importlib.import_module("peers." + sys.argv[1])
there = any(installed(name) for name in adapter.PACKAGES)
print("@" + json.dumps(list(adapter.TASKS) if there else None))
"""


def catalogue(adapters, options):
    """The tasks that each adapter can run in its own interpreter, and why the others cannot."""
    tasks, unusable = {}, {}
    for adapter in adapters:
        answer = subprocess.run(
            [options.python_of(adapter), "-W", "ignore", "-c", CATALOGUE, adapter],
            capture_output=True,
            text=True,
            cwd=HERE,  # so that it finds the adapters
        )
        found = [line for line in answer.stdout.splitlines() if line.startswith("@")]
        last = (answer.stderr.strip().splitlines() or ["no answer"])[-1]
        if found and found[0] != "@null":
            tasks[adapter] = json.loads(found[0][1:])
        elif found or "ModuleNotFoundError" in last:
            unusable[adapter] = "not installed"
        else:
            unusable[adapter] = last
    return tasks, unusable


def adapters():
    """Names of the files in peers/."""
    files = os.listdir(os.path.join(HERE, "peers"))
    return sorted(f[:-3] for f in files if f.endswith(".py") and not f.startswith("_"))
