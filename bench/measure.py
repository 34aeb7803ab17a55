# Runs the programs that are compared: alternately, each under a time limit, with nothing left running.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import json
import os
import select
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass


@dataclass
class Outcome:
    """How a command ended.  PEAK: the most memory in bytes that the process asked about had."""
    seconds: float
    status: int
    stdout: str
    stderr: str
    stopped: bool
    peak: int = 0

    def trouble(self):
        """None, or why this is no measurement."""
        if self.stopped:
            return "stopped at its time limit"
        if self.status == 0:
            return None
        lines = [line for line in self.stderr.strip().splitlines() if "warning:" not in line]
        return f"status {self.status}: {lines[-1] if lines else 'no message'}"


@dataclass
class Session:
    """Times of the groups of commands of one script; LAST is how long ago the last one ended, None if the
    appliance did not get ready."""
    seconds: list
    last: object
    outcome: Outcome


# --- processes ---

def stat_fields(pid):
    """The parent and the start time of a process, which together with its number names it for good."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            fields = f.read().rpartition(")")[2].split()
        return int(fields[1]), int(fields[19])
    except (OSError, IndexError):
        return None


def descendants(pid):
    """All processes below PID, as pairs of number and start time."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (fields := stat_fields(name)):
            children.setdefault(fields[0], []).append((int(name), fields[1]))
    found, todo = [], [pid]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += [p for p, _ in below]
    return found


def peak_memory(pid, name):
    """The largest VmHWM, in bytes, of PID and the processes below it whose name begins with NAME."""
    peak = 0
    for p in [pid] + [p for p, _ in descendants(pid)]:
        try:
            with open(f"/proc/{p}/status", encoding="ascii", errors="replace") as f:
                status = dict(line.rstrip().split(":", 1) for line in f)
            if status["Name"].strip().startswith(name):
                peak = max(peak, int(status["VmHWM"].split()[0]) * 1024)
        except (OSError, KeyError, ValueError):
            continue
    return peak


def wait_pidfd(pidfd, seconds):
    return bool(select.select([pidfd], [], [], max(0, seconds))[0])


def stop(process, pidfd):
    """Ends a process that we started and all that it started, politely at first."""
    below = descendants(process.pid)
    process.terminate()
    if not wait_pidfd(pidfd, 5):
        process.kill()
    process.wait()
    for pid, start in below:
        fields = stat_fields(pid)
        if fields and fields[1] == start:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


# --- the run ---

class Bench:
    """One run: options, the folder for images, the programs that are there, and where values go."""

    def __init__(self, options, folder, tools, out):
        self.folder = folder
        self.tools = tools
        self.quick = options.quick
        self.rounds = options.rounds
        self.limit = options.limit
        self.peer_limit = options.peer_limit
        self.out = out
        self.section = None
        self.values = []
        self.size = (128 if self.quick else 1024) << 20

    def path(self, name):
        return os.path.join(self.folder, name)

    def say(self, text):
        print(f"  {self.section}: {text}", flush=True)

    def record(self, row, metric, tool, number, value, unit, bound=False):
        self.keep({"section": self.section, "row": row, "metric": metric, "tool": tool, "round": number,
                   "value": value, "unit": unit, **({"bound": True} if bound else {})})

    def failed(self, row, metric, tool, number, why):
        self.say(f"{tool}, {row}: FAILED: {why}")
        self.keep({"section": self.section, "row": row, "metric": metric, "tool": tool, "round": number,
                   "error": why})

    def keep(self, value):
        self.values.append(value)
        self.out.write(json.dumps(value) + "\n")
        self.out.flush()

    def turns(self, names, peers_once=False, quick_peers=True):
        """Pairs of round and program, in another order each round.  PEERS_ONCE: peers run in the first round
        only.  QUICK_PEERS false: peers, which are slow, do not run at all with --quick."""
        for number in range(1, self.rounds + 1):
            for name in names if number % 2 else reversed(names):
                ours = self.tools.get(name) and self.tools[name].ours
                if name not in self.tools or (not ours and (peers_once and number > 1
                                                            or self.quick and not quick_peers)):
                    continue
                yield number, name

    def run(self, argv, limit=None, env=None, memory=None):
        """Runs ARGV to its end or its limit in seconds, and says how that went.  MEMORY: see peak_memory."""
        out, err = self.path("stdout"), self.path("stderr")
        end = time.monotonic() + (limit or self.limit)
        with open(out, "wb") as o, open(err, "wb") as e:
            start = time.monotonic()
            process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=o, stderr=e,
                                       start_new_session=True, env={**os.environ, **(env or {})})
            pidfd = os.pidfd_open(process.pid)
            peak, ended = 0, False
            try:
                while not ended and time.monotonic() < end:
                    ended = wait_pidfd(pidfd, min(end - time.monotonic(), 0.05 if memory else 3600))
                    peak = max(peak, peak_memory(process.pid, memory)) if memory and not ended else peak
                seconds = time.monotonic() - start
            finally:
                if ended:
                    process.wait()
                else:
                    stop(process, pidfd)
                os.close(pidfd)
        return Outcome(seconds, process.returncode, head_of(out), tail_of(err), not ended, peak)

    def shell(self, tool, args, **options):
        """Runs a shell of the compared programs with ARGS."""
        t = self.tools[tool]
        return self.run(t.command + args, env={**t.env, **options.pop("env", {})}, **options)

    def session(self, tool, args, groups, **options):
        """Runs one shell with a script and times each of GROUPS, lists of commands.  The time is taken by the
        host's date command between them, the cost of which is measured too and taken off."""
        marks, script = self.path("marks"), self.path("script")
        mark = '!date +%s.%N >> "$BENCH_MARKS"\n'
        with open(script, "w", encoding="utf-8") as f:
            f.write("run\n" + mark * 4)
            for group in groups:
                f.write("".join(command + "\n" for command in group) + mark)
        with open(marks, "wb"):
            pass
        outcome = self.shell(tool, args + ["-f", script], env={"BENCH_MARKS": marks}, **options)
        end = time.time()
        with open(marks, encoding="ascii") as f:
            times = [float(line) for line in f]
        cost = min((b - a for a, b in zip(times[:3], times[1:4])), default=0)
        seconds = [max(b - a - cost, 1e-6) for a, b in zip(times[3:], times[4:])]
        return Session(seconds, end - times[-1] if len(times) >= 4 else None, outcome)

    def record_session(self, session, tool, number, names, unit_of=None):
        """Records the times of a session under NAMES, pairs of row and metric, and what was stopped or
        failed.  UNIT_OF turns the seconds of group I into a value and its unit."""
        convert = unit_of or (lambda i, seconds: (seconds, "s"))
        for i, (row, metric) in enumerate(names):
            if i < len(session.seconds):
                value, unit = convert(i, session.seconds[i])
                self.record(row, metric, tool, number, value, unit)
            elif i == len(session.seconds) and session.last and session.outcome.stopped and unit_of is None:
                self.record(row, metric, tool, number, session.last, "s", bound=True)
            elif i == len(session.seconds):
                self.failed(row, metric, tool, number, session.outcome.trouble() or "it ended early")


def head_of(path):
    with open(path, "rb") as f:
        return f.read(65536).decode("utf-8", "replace")


def tail_of(path):
    with open(path, "rb") as f:
        f.seek(max(0, os.path.getsize(path) - 4096))
        return f.read().decode("utf-8", "replace")


def has_room(folder, wanted):
    """None, or a message if FOLDER has less than WANTED bytes free."""
    free = shutil.disk_usage(folder).free
    if free >= wanted:
        return None
    return f"{os.path.dirname(folder)} has {free >> 20} MiB free and {wanted >> 20} MiB are needed; see --dir"
