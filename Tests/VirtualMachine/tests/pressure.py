"""Memory pressure with torpord: who is in use stays, sleepers go silently, the kernel's OOM killer is never called (2.3)."""
import json

from pressure import ACTIVE, SLEEPERS, Torpor, play, sentence
from service import workers
from vm import check, say, sh, test

ROUNDS = 2
ENDED = "53cadcdea0bb49aca0b6740efd50aa8f"


def rounds(is_worker):
    """Plays some rounds; each must keep what is promised."""
    stalls = []
    with Torpor() as stage:
        for _ in range(ROUNDS):
            outcome = play(stage, is_worker)
            say(f"    {sentence(outcome)}")
            stage.explain(outcome)
            check(outcome["active"] == len(ACTIVE), "a worker in use died")
            check(outcome["served"], "the hog was not served")
            check(outcome["killed"] == 0, "the kernel's OOM killer was called")
            evicted = {worker["name"] for worker in workers() if worker.get("reason") == "evicted"}
            # One more may have gone since: with all that the hog has, little is left to the threshold.
            check(evicted <= set(SLEEPERS) and len(evicted) >= outcome["evicted"] > 0, f"evicted: {evicted}")
            stalls.append(outcome["stall"])
        ends = [json.loads(line) for line in sh(
            f"journalctl --boot --output=json MESSAGE_ID={ENDED} TORPOR_REASON=evicted _PID={stage.daemon.pid}").splitlines()]
        check(ends and all(end["TORPOR_FROM"] == "suspended" for end in ends), "none was thawed to die")
    return f"{ROUNDS} rounds, {len(ends)} evicted in their sleep, longest stall {max(stalls):.2f} s"


@test("a hog outside of us gets what sleepers hold, and nobody in use dies")
def outside():
    return rounds(False)


@test("a worker that grows gets what sleepers hold, and nobody in use dies")
def worker():
    return rounds(True)
