"""The figures of the daemon over its life, and whether they are flat."""
import json
import os
import statistics
import threading
import time

from figures import descriptors, status
from supervised import group_of

# The figures that are judged: what each is called, its unit, and what it may be more at the end, in units and in percent.
# A malloc arena or a B-tree may have a few pages more than ten minutes before without any leak.
JUDGED = {
    "rss": ("RssAnon", "kB", 128, 5),
    "descriptors": ("descriptors, as many asleep", "", 4, 5),
    "threads": ("threads", "", 1, 0),
    "store": ("store", "kB", 64, 5),
    "files": ("files in its runtime directory", "", 4, 2),
    "groups": ("cgroups", "", 4, 2),
}
BARS = "▁▂▃▄▅▆▇█"


def bytes_below(place):
    """The size of all files below it, and their number; one that goes meanwhile has none."""
    size = count = 0
    for directory, _, names in os.walk(place):
        for name in names:
            try:
                size += os.lstat(f"{directory}/{name}").st_size
                count += 1
            except FileNotFoundError:
                pass
    return size, count


def spent(pid):
    """The processor time that it has used, in seconds."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Sampler(threading.Thread):
    """Looks at the daemon every few seconds, and writes what it sees as lines of JSON."""

    def __init__(self, torpord, path, seconds=5):
        super().__init__(daemon=True)
        self.torpord, self.seconds, self.samples = torpord, seconds, []
        self.file = open(path, "w", encoding="utf-8")
        self.begun, self.ends = time.monotonic(), threading.Event()
        pid = next(worker["pid"] for worker in torpord.remember() if "pid" in worker)
        self.group = os.path.dirname(group_of(pid) or "/nowhere/at/all")

    def run(self):
        while not self.ends.is_set():
            try:
                sample = self.sample()
            except (OSError, StopIteration):
                # The daemon has ended, which is told elsewhere.
                return
            self.samples.append(sample)
            self.file.write(json.dumps(sample) + "\n")
            self.file.flush()
            self.ends.wait(self.seconds)

    def sample(self):
        pid = self.torpord.process.pid
        store, _ = bytes_below(self.torpord.state)
        _, files = bytes_below(self.torpord.run)
        return {
            "at": round(time.monotonic() - self.begun, 2), "pid": pid, "rss": status(pid, "RssAnon"),
            "descriptors": descriptors(pid), "threads": status(pid, "Threads"), "store": round(store / 1024),
            "log": round(os.path.getsize(self.torpord.log_path) / 1024), "files": files,
            "groups": sum(entry.is_dir() for entry in os.scandir(self.group)) if os.path.isdir(self.group) else 0,
            "asleep": len(self.torpord.since), "cpu": round(spent(pid), 2),
        }

    def stop(self):
        self.ends.set()
        if self.is_alive():
            self.join(30)
        self.file.close()


class Judgement:
    """The median of the first minutes after the warm-up beside that of the last ones."""

    def __init__(self, samples, minutes):
        # Of an hour: five minutes of warm-up, and ten minutes at each end.
        self.warm, self.window = minutes * 60 / 12, minutes * 60 / 6
        self.end = minutes * 60
        self.samples, self.broken = self.with_as_many_asleep(samples), []

    def with_as_many_asleep(self, samples):
        """The same with the descriptors that there would be with as many asleep all the time.

        A worker takes some more while it sleeps, and how many sleep depends on what else the machine does.
        """
        known = [sample for sample in samples if self.warm <= sample["at"] <= self.end]
        asleep = [sample["asleep"] for sample in known]
        if len(set(asleep)) < 2:
            return samples
        each, mean = statistics.linear_regression(asleep, [sample["descriptors"] for sample in known]).slope, statistics.mean(asleep)
        return [{**sample, "descriptors": sample["descriptors"] - each * (sample["asleep"] - mean)} for sample in samples]

    def between(self, key, begin, end):
        return [sample[key] for sample in self.samples if begin <= sample["at"] <= end]

    def slope(self, key):
        """By how much it grows in an hour, by least squares, after the warm-up."""
        points = [(sample["at"] / 3600, sample[key]) for sample in self.samples if self.warm <= sample["at"] <= self.end]
        if len(points) < 2:
            return 0.0
        return statistics.linear_regression(*zip(*points)).slope

    def rows(self):
        for key, (what, unit, slack, percent) in JUDGED.items():
            first = statistics.median(self.between(key, self.warm, self.warm + self.window))
            last = statistics.median(self.between(key, self.end - self.window, self.end))
            most = first * (1 + percent / 100) + slack
            flat = last <= most
            if not flat:
                self.broken.append(what)
            yield what, unit, first, last, most, self.slope(key), flat

    def table(self):
        lines = [f"{'':32} {'first':>9} {'last':>9} {'at most':>9} {'per hour':>9}"]
        for what, unit, first, last, most, slope, flat in self.rows():
            lines.append(f"{what + (', ' + unit if unit else ''):32} {first:9.0f} {last:9.0f} {most:9.0f} {slope:+9.1f}  "
                         f"{'flat' if flat else 'GROWS'}")
        return "\n".join(lines)

    def picture(self, width=72):
        """Each figure over time, as a line of bars between its least and its greatest."""
        lines = []
        for key in [*JUDGED, "log", "asleep"]:
            columns = []
            for column in range(width):
                values = self.between(key, self.end * column / width, self.end * (column + 1) / width)
                columns.append(statistics.median(values) if values else None)
            known = [value for value in columns if value is not None]
            if not known:
                continue
            least, span = min(known), (max(known) - min(known)) or 1
            bars = "".join(" " if value is None else BARS[round((value - least) / span * (len(BARS) - 1))] for value in columns)
            what, unit = JUDGED[key][:2] if key in JUDGED else {"log": ("log", "kB"), "asleep": ("workers asleep", "")}[key]
            lines.append(f"{what + (', ' + unit if unit else ''):32} {bars} {min(known):.0f} to {max(known):.0f}")
        return "\n".join(lines)
