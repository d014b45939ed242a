"""The share of the processor and of the disks that a worker has in each state (2.2)."""
from service import Torpord, group, reaches, torpor
from vm import check, eventually, read, test

FILE = """[Worker]
ExecStart=/bin/sleep infinity
Launch=boot
[Foreground]
CPUWeight=300
IOWeight=200
[Background]
CPUWeight=20
IOWeight=30
"""


def weights():
    """What the kernel has: the processor's weight, the disks'."""
    return (int(read(f"{group('napper')}/cpu.weight")), int(read(f"{group('napper')}/io.weight").split()[1]))


def settle(expected, state):
    eventually(lambda: weights() == expected, f"weights {expected} while {state}, not {weights()}")


@test("CPU and IO weights follow the state of a worker")
def follow():
    with Torpord({"napper": FILE}):
        reaches("napper", "active")
        settle((300, 200), "active")
        torpor("background", "napper")
        settle((20, 30), "background")
        torpor("suspend", "napper")
        torpor("activate", "napper")
        settle((300, 200), "active again")
    return "CPU 300 → 20 → 300, IO 200 → 30 → 200"


@test("the daemon lives in a leaf of its own below its delegated group")
def leaf():
    with Torpord({"napper": FILE}) as daemon:
        reaches("napper", "active")
        place = read(f"/proc/{daemon.pid}/cgroup").strip()
        check(place.endswith("/torpord.service/supervisor"), place)
        return place
