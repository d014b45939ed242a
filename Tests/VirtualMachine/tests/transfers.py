"""Transfers beside workers, where the kernel has a memory controller: their own limit, and a worker that is evicted meanwhile (1.6, 2.3)."""
import os
import shutil

from pressure import LOAD
from service import Torpord, call, group, reaches, torpor, workers
from vm import check, eventually, read, table, test, write

PLACE = "/run/transfers"
MB = 1 << 20


def placed(function):
    """A test with a directory of its own, which is gone after it."""
    def run():
        os.makedirs(PLACE, exist_ok=True)
        try:
            return function()
        finally:
            shutil.rmtree(PLACE, ignore_errors=True)
    return run


def transfers(name):
    """What the daemon tells of the transfers of a worker, by their numbers."""
    return {transfer["number"]: transfer for transfer in call("Transfers", name=name)["transfers"]}


def begin(name, command):
    """The number of a transfer that began."""
    return int(torpor("transfer", name, "--", command).split()[1])


def running(name, number):
    """The main process of a transfer, once it has one."""
    return eventually(lambda: transfers(name).get(number, {}).get("pid"), f"transfer {number} of {name} has a process")


def place_of(pid):
    """The control group of a process."""
    return "/sys/fs/cgroup" + read(f"/proc/{pid}/cgroup").splitlines()[-1].split(":", 2)[2]


@test("a transfer that needs more memory than TransferMemoryMax= says is ended by the kernel, and its worker is not touched")
@placed
def limit():
    worker = "[Worker]\nExecStart=/bin/sleep infinity\nLaunch=boot\n[Background]\nTransferMemoryMax={}\n"
    with Torpord({"small": worker.format("24M"), "free": worker.format("infinity")}):
        for name in ("small", "free"):
            reaches(name, "active")
        held = begin("free", f"{LOAD} hold 96")
        torpor("suspend", "small")
        # What is asleep is not woken for its end, and the end waits for it.
        number = begin("small", f"{LOAD} hold 96")
        eventually(lambda: transfers("small")[number]["stage"] == "ended", "it is ended")
        ended = transfers("small")[number]
        check(ended["outcome"] == "memoryLimit" and ended.get("signal") == "SIGKILL", f"{ended}")
        shown = torpor("transfers", "small")
        check("memory" in shown, shown)
        pid = running("free", held)
        check(read(f"{place_of(pid)}/memory.max").strip() == "max", "no limit where none is wanted")
        eventually(lambda: int(read(f"{place_of(pid)}/memory.current")) > 90 * MB, "the other has what it wants")
        check(table(f"{group('small')}/memory.events")["oom_kill"] == 0, "no process of the worker was killed")
        states = {entry["name"]: entry["state"] for entry in workers()}
        check(states == {"small": "suspended", "free": "active"}, f"{states}")
        limited = begin("small", "/bin/sleep infinity")
        most = int(read(f"{place_of(running('small', limited))}/memory.max"))
        check(most == 24 * MB, f"{most} as memory.max")
        torpor("transfer", "--cancel", str(limited), "small")
        torpor("transfer", "--cancel", str(held), "free")
    return f"ended at {most >> 20} M, without a limit 96 M"


@test("a worker is evicted beside its running transfer, which goes on; its end launches the worker again")
@placed
def eviction():
    worker = (f"[Worker]\nExecStart=/bin/sleep infinity\nLaunch=on-demand\n[Background]\nModes=transfer\n[Memory]\nEvictable=silent\n"
              f"[Callbacks]\nHandleTransferEvents=exec:/bin/sh -c 'echo $$TORPOR_LAUNCH_REASON >> {PLACE}/told'\n")
    command = f"/bin/sh -c 'until [ -e {PLACE}/go ]; do sleep 0.1; done; echo done'"
    # Whatever is free, it is too little.
    short = "[Memory]\nWarningAvailable=99%\nCriticalAvailable=99%\n"
    with Torpord({"web": worker}) as daemon:
        torpor("launch", "web")
        number = begin("web", command)
        pid = running("web", number)
        place = place_of(pid)
        check(place != group("web"), f"{place} is a group of its own")
        torpor("suspend", "web")
        write("/etc/torpor/torpord.conf", short)
        torpor("reload")
        eventually(lambda: workers()[0].get("reason") == "evicted", "the worker is evicted")
        check(os.path.exists(f"/proc/{pid}") and place_of(pid) == place, "the transfer runs on")
        check(transfers("web")[number]["stage"] == "running", f"{transfers('web')}")
        # Enough again, so that its next process may stay.
        write("/etc/torpor/torpord.conf", "")
        torpor("reload")
        check(not os.path.exists(f"{PLACE}/told"), "nothing is told before the end")
        write(f"{PLACE}/go", "")
        eventually(lambda: os.path.exists(f"{PLACE}/told"), "the worker is launched and told", 120)
        told = read(f"{PLACE}/told").strip()
        check(told == "transfer", f"launched for {told}")
        eventually(lambda: not os.path.exists(place), "nothing of the transfer is left")
        check(daemon.pid > 0, "the daemon is there")
    return f"told after its eviction, launched for {told}"
