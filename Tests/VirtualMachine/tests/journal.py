"""What the journal gets: each change once, with its fields, and what workers print under their own names."""
import json

from service import Torpord, reaches, torpor
from vm import check, eventually, sh, test

CHANGED = "e1dea4a23f4b4ca5bc03d8250fef2a09"
FILE = """[Worker]
ExecStart=/bin/sh -c 'echo spoken by {name}; echo and complained >&2; exec sleep infinity'
Launch=on-demand
"""


def entries(*matches):
    """The journal's entries with all these fields."""
    lines = sh("journalctl --boot --output=json --no-pager " + " ".join(matches)).splitlines()
    return [json.loads(line) for line in lines]


@test("each change is in the journal once, with its fields")
def changes():
    with Torpord({"teller": FILE.format(name="teller")}) as daemon:
        torpor("launch", "teller")
        torpor("suspend", "teller")
        torpor("terminate", "teller")
        own = f"_PID={daemon.pid}"
        found = eventually(
            lambda: (list := entries(f"MESSAGE_ID={CHANGED}", "TORPOR_WORKER=teller", own))
            and list[-1]["TORPOR_TO"] == "notRunning" and list,
            "the last change is in the journal")
    steps = [(entry["TORPOR_FROM"], entry["TORPOR_TO"]) for entry in found]
    check(steps[0][0] == "notRunning", steps)
    check(all(before[1] == after[0] for before, after in zip(steps, steps[1:])), f"a step is missing or doubled: {steps}")
    check(("background", "suspended") in steps, steps)
    for entry in found:
        check(entry["_TRANSPORT"] == "journal", "by the journal's own protocol")
        check(entry["PRIORITY"] == "6" and entry["SYSLOG_IDENTIFIER"] == "torpord" and entry["TORPOR_REASON"], entry)
        check(entry["MESSAGE"].startswith("teller: "), entry["MESSAGE"])
    asked = [entry for entry in found if entry["TORPOR_TO"] == "suspended"]
    check(asked[0].get("TORPOR_UID") == "0" and asked[0].get("TORPOR_PID"), f"who asked: {asked[0]}")
    return " → ".join([steps[0][0]] + [step[1] for step in steps])


@test("what workers print is in the journal, each under its own name")
def output():
    names = ("ada", "bob")
    with Torpord({name: FILE.format(name=name) for name in names}):
        for name in names:
            torpor("launch", name)
            lines = eventually(lambda: (list := entries(f"SYSLOG_IDENTIFIER={name}")) and len(list) > 1 and list,
                               f"the lines of {name}")
            check([line["MESSAGE"] for line in lines] == [f"spoken by {name}", "and complained"], lines)
            check(all(line["_TRANSPORT"] == "stdout" for line in lines), "by a stream of its own")
    return f"2 lines each of {' and '.join(names)}"


@test("an operator reads there what a worker printed that failed, by the verbs")
def failed_output():
    crash = "[Worker]\nExecStart=/bin/sh -c 'for i in 1 2 3; do echo line $i; done; echo no such port >&2; exit 3'\n"
    with Torpord({"crash": crash, "teller": FILE.format(name="teller")}):
        torpor("launch", "crash", may_fail=True)
        eventually(lambda: len(entries("SYSLOG_IDENTIFIER=crash")) == 4, "the journal has it")
        for verb in ("status", "report", "why"):
            text = torpor(verb, "crash", may_fail=True)
            check("no such port" in text, f"{verb}: {text}")
        last = torpor("logs", "-n", "2", "crash").splitlines()
        check(len(last) == 2 and "line 3" in last[0] and "no such port" in last[1], last)
        torpor("launch", "teller")
        eventually(lambda: len(entries("SYSLOG_IDENTIFIER=teller")) > 1, "the other one's too")
        check("no such port" not in torpor("logs", "teller"), "each its own")
    return "status, report, why and logs"
