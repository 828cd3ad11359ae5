"""A process that runs the contestants of one adapter: requests on stdin, JSON lines on stdout.

    python worker.py ADAPTER quick|full THREADS

Requests: `open|fit|predict|save|load|quality|close TASK[:VARIANT]`, and `quit`.
"""

import gc
import importlib
import json
import os
import statistics
import sys
import tempfile
import time
import traceback
import warnings

from clocks import machine_cpu, memory, own_cpu, own_processes, reset_peak

MIN_LOOP = 0.2  # seconds of calls behind one time of a short operation
MAX_CALLS = 5000


def timed(call, loop=False):
    """Result of the call, and its cost.

    Wall and CPU seconds a call, the cores that other processes used meanwhile, and the memory of
    the process before and at its peak.
    """
    gc.collect()
    reset_peak()
    before, machine, cpu, start = memory("VmRSS"), machine_cpu(), own_cpu(), time.perf_counter()
    walls = []
    while True:
        t = time.perf_counter()
        result = call()
        walls.append(time.perf_counter() - t)
        if not loop or time.perf_counter() - start > MIN_LOOP or len(walls) >= MAX_CALLS:
            break
    elapsed = time.perf_counter() - start
    cpu, machine = own_cpu() - cpu, machine_cpu() - machine
    return result, dict(
        wall=statistics.median(walls),
        cpu=cpu / len(walls),
        foreign=max(0.0, (machine - cpu) / elapsed),
        rss_before=before,
        rss_peak=sum(memory("VmHWM", pid) for pid in own_processes()),
    )


def versions(names):
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            pass
    return found


class Slot:
    """One opened contestant: its data, the contestant, its latest model and prediction."""

    def __init__(self, adapter, full_name, size, threads):
        import tasks

        module = importlib.import_module(f"peers.{adapter}")
        self.task = tasks.TASKS[full_name.split(":")[0]]
        self.data = self.task.load(size == "quick")
        self.params = dict(self.task.parameters(size == "quick"), threads=threads)
        self.contestant = module.TASKS[full_name](self.data, self.params)
        self.model = self.pred = None
        self.hello = dict(
            versions=versions(module.PACKAGES),
            jit=self.contestant.jit,
            has_predict=self.contestant.predict is not None,
            input_bytes=tasks.input_bytes(self.data),
        )

    def do(self, command, path):
        c = self.contestant
        if command == "fit":
            self.model = None  # the old model must not count as memory of the new fit
            self.model, cost = timed(c.fit)
        elif command == "predict":
            self.pred, cost = timed(lambda: c.predict(self.model), loop=True)
        elif command == "save":
            _, cost = timed(lambda: c.save(self.model, path), loop=True)
            cost["bytes"] = os.path.getsize(path)
        elif command == "load":
            _, cost = timed(lambda: c.load(path), loop=True)
        elif command == "quality":
            return self.quality()
        else:
            raise ValueError(command)
        return cost

    def quality(self):
        if self.task.quality is None:
            return {}
        out = dict(self.contestant.info(self.model)) if self.contestant.info else {}
        if self.contestant.predict:
            out["pred"] = self.pred
        return self.task.quality(self.data, self.params, out)


def main():
    adapter, size, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    # Some native libraries print on stdout: keep the real one for the protocol.
    protocol = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    warnings.filterwarnings("ignore")
    slots = {}
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            command, _, name = line.strip().partition(" ")
            if command == "quit":
                break
            try:
                if command == "open":
                    slots[name] = Slot(adapter, name, size, threads)
                    answer = slots[name].hello
                elif command == "close":
                    slots.pop(name, None)
                    answer = {}
                else:
                    answer = slots[name].do(command, os.path.join(folder, "model"))
                answer = dict(answer, ok=True)
            except BaseException as error:  # a contestant must not take the harness with it
                traceback.print_exc()
                answer = dict(ok=False, error=f"{type(error).__name__}: {error}"[:300])
            protocol.write(json.dumps(answer, default=float) + "\n")
    sys.stderr.flush()
    os._exit(0)  # skips slow or crashing tear-downs of native thread pools


if __name__ == "__main__":
    main()
