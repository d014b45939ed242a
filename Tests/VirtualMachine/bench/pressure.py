"""Memory pressure with nobody, earlyoom, systemd-oomd and torpord, side by side; VM_ROUNDS of each (20)."""
import os

from pressure import ACTIVE, SLEEPERS, Earlyoom, Nobody, Oomd, Torpor, play, sentence
from vm import check, say, test

ROUNDS = int(os.environ.get("VM_ROUNDS", "20"))
WHO = os.environ.get("VM_WHO", "nothing earlyoom systemd-oomd torpord").split()
STAGES = [stage for stage in (Nobody, Earlyoom, Oomd, Torpor) if stage.title in WHO]
HEAD = ("", "rounds", "in use alive", "sleepers evicted", "hog served", "OOM kills", "longest stall")
rows = []


def measure(stage, is_worker):
    """All rounds of one stage; adds a row."""
    outcomes = []
    with stage() as there:
        for number in range(ROUNDS):
            outcomes.append(play(there, is_worker))
            say(f"    {stage.title} {number + 1}: {sentence(outcomes[-1])}")
            there.explain(outcomes[-1])
    def total(key):
        return sum(outcome[key] for outcome in outcomes)
    rows.append((f"{stage.title}, {'a worker is the hog' if is_worker else 'the hog is outside'}", str(ROUNDS),
                 f"{total('active')} of {ROUNDS * len(ACTIVE)}", f"{total('evicted')} of {ROUNDS * len(SLEEPERS)}",
                 f"{total('served')} of {ROUNDS}", str(total("killed")),
                 f"{max(outcome['stall'] for outcome in outcomes):.2f} s"))
    if stage is Torpor:
        check(total("active") == ROUNDS * len(ACTIVE), "a worker in use died")
        check(total("killed") == 0, "the kernel's OOM killer was called")
        check(total("evicted") > 0 and total("served") == ROUNDS, "the hog was not served by evictions")
        check(max(outcome["stall"] for outcome in outcomes) <= 2, "a heartbeat stalled for longer than 2 s")


for stage in STAGES:
    for is_worker in (False, True):
        test(f"{stage.title}, with {'a worker' if is_worker else 'something outside'} as the hog")(
            lambda stage=stage, is_worker=is_worker: measure(stage, is_worker))


@test("side by side")
def together():
    widths = [max(len(row[column]) for row in (HEAD, *rows)) for column in range(len(HEAD))]
    for row in (HEAD, *rows):
        say("    " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
