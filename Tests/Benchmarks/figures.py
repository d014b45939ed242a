"""What the measurements share: figures of processes from /proc, programs that print figures, and the table."""
import os
import statistics
import subprocess
import time


def printed(*command, seconds=120):
    """The `name value unit` lines that a measuring program prints, by name."""
    output = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True, text=True,
                            timeout=seconds).stdout
    return {name: float(value) for name, value, _ in (line.split() for line in output.splitlines())}


def medians(rounds):
    """Of several rounds' figures the median of each, so that one disturbed round does not count."""
    return {name: statistics.median(figures[name] for figures in rounds) for name in rounds[0]}


def status(pid, key):
    """One number of /proc/PID/status: kB for memory."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key + ":"))


def switches(pid):
    """How often the process's threads have been switched to or from, all together; one that sleeps has no more."""
    count = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        count += status(f"{pid}/task/{thread}", "voluntary_ctxt_switches")
        count += status(f"{pid}/task/{thread}", "nonvoluntary_ctxt_switches")
    return count


def wakes(pid, seconds):
    """How often the process woke in so many seconds in which nobody asks anything of it."""
    before = switches(pid)
    time.sleep(seconds)
    return switches(pid) - before


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def eventually(question, seconds=30):
    """The first answer that is true; fails when none comes in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := question():
            return answer
        time.sleep(0.01)
    raise TimeoutError("it did not come in time")


class Table:
    """One row per promise: what the bare calls take, what we take, and the limit."""

    HEAD = ("", "bare", "ours", "ratio", "limit", "")

    def __init__(self):
        self.rows, self.broken = [], 0
        # Whether a broken promise makes the run fail.
        self.counts = True

    def add(self, what, ours, unit, bare=None, ratio=None, limit=None):
        """Adds a promise: `ratio` times `bare` at most, or `limit` at most, or a plain figure with neither."""
        most = bare * ratio if ratio else limit
        kept = most is None or ours <= most
        self.broken += self.counts and not kept
        self.rows.append((
            what, "" if bare is None else f"{bare:.2f}", f"{ours:.2f} {unit}",
            f"{ours / bare:.2f}" if bare else "", f"≤ {ratio} ×" if ratio else "" if limit is None else f"≤ {limit:g}",
            "" if most is None else "ok" if kept else "OVER"))
        self.tell(f"  {what}: {ours:.2f} {unit}")

    def absent(self, what, why):
        """A promise that could not be measured, which is no kept one."""
        self.broken += self.counts
        self.rows.append((what, "", "not measured", "", "", why))
        self.tell(f"  {what}: not measured, {why}")

    @staticmethod
    def tell(line):
        print(line, flush=True)

    def print(self):
        aligned([self.HEAD, *self.rows])


def aligned(rows):
    """Prints rows of cells in columns: the first and the last to the left, those between to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1])]
        print("  ".join([*cells, row[-1]]).rstrip())


class Comparison:
    """One row per goal: what the least of a supervisor takes, others, and ours; and whether the goal is reached."""

    def __init__(self, others):
        self.others, self.rows, self.missed, self.notes = others, [], 0, []

    def add(self, what, unit, figures, measure=None, most=None):
        """Adds the figures by name; the goal is `most` times that of `limit` where the measure is `×`, else `most` itself."""
        ours, bare = figures.get("ours"), figures.get("limit")
        cells = [self.cell(figures.get(name)) for name in (*self.others, "ours")]
        goal = "" if most is None else f"≤ {most:g} {measure}"
        bound = most * bare if measure == "×" and bare else most
        reached = None if None in (bound, ours) else ours <= bound
        self.missed += reached is False
        ratio = f"{ours / bare:.2f}" if ours is not None and bare else "–"
        verdict = "" if most is None else {None: "not measured", True: "reached", False: "not reached"}[reached]
        self.rows.append((f"{what}, {unit}", *cells, goal, ratio, verdict))

    def note(self, line):
        self.notes.append(line)

    @staticmethod
    def cell(value):
        return "–" if value is None else f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}"

    def print(self):
        aligned([("", *self.others, "ours", "goal", "ratio", "verdict"), *self.rows])
        for line in self.notes:
            print(line)
