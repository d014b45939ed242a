"""The package under systemd: removed, then purged."""
import os

from home import cleaned
from package import HOLDER, purge
from vm import check, sh, test


@test("a removal leaves the workers' state, a purge takes it")
@cleaned
def removed():
    sh("DEBIAN_FRONTEND=noninteractive dpkg --remove torpor")
    check(not os.path.exists("/usr/bin/torpord"), "the program is gone")
    check(not os.path.exists(HOLDER), "no worker runs")
    check(os.listdir("/var/lib/torpor"), "what was kept is there")
    check(os.path.exists("/etc/torpor/workers/redis.worker"), "and what defines workers")
    sh("DEBIAN_FRONTEND=noninteractive dpkg --purge torpor")
    check(not os.path.exists("/var/lib/torpor"), "what was kept is gone")
    check(sh("systemctl list-unit-files 'torpord*' 'torpor-workers*' --no-legend", may_fail=True) == "", "no unit is left")
    purge()
    return "kept, then gone"
