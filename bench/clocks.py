"""CPU time and memory of this process, its children and the machine, from Linux's /proc."""

import os
import time

TICKS = os.sysconf("SC_CLK_TCK")


def memory(key, pid="self"):
    """A figure of /proc/PID/status in bytes; VmRSS is what is resident, VmHWM its peak."""
    try:
        with open(f"/proc/{pid}/status") as f:
            for line in f:
                if line.startswith(key + ":"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass  # the process has ended
    return 0


def reset_peak():
    """Makes VmHWM start again from what is resident now."""
    try:
        with open("/proc/self/clear_refs", "w") as f:
            f.write("5")
    except OSError:
        pass  # some containers forbid it; the peak is then that of the whole life


def own_processes():
    """This process and its living descendants, such as joblib's workers."""
    import psutil

    me = psutil.Process()
    return [me.pid, *(child.pid for child in me.children(recursive=True))]


def own_cpu():
    """CPU seconds of this process and of its descendants, dead or alive."""
    times = os.times()
    total = time.process_time() + times.children_user + times.children_system
    for pid in own_processes()[1:]:
        try:
            with open(f"/proc/{pid}/stat") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            total += (int(fields[11]) + int(fields[12])) / TICKS
        except OSError:
            pass
    return total


def machine_cpu():
    """Busy seconds of the whole machine, time stolen by the hypervisor included."""
    with open("/proc/stat") as f:
        fields = [int(x) for x in f.readline().split()[1:9]]
    idle, waiting = fields[3], fields[4]
    return (sum(fields) - idle - waiting) / TICKS


def busy_cores(seconds=0.15):
    """Cores in use by anyone over the next moment."""
    cpu, start = machine_cpu(), time.perf_counter()
    time.sleep(seconds)
    return (machine_cpu() - cpu) / (time.perf_counter() - start)


def wait_idle(limit):
    """Waits for a quiet machine, at most `limit` seconds."""
    end = time.perf_counter() + limit
    while time.perf_counter() < end and busy_cores() > 0.3:
        time.sleep(0.1)
