"""`torpor run` in somebody else's unit: Debian's redis-server.service with the drop-in of systemd/examples."""
import os
import shutil
import socket

from vm import check, eventually, read, sh, test, write

UNIT = "redis-server.service"
DROP_IN = f"/run/systemd/system/{UNIT}.d/torpor.conf"


def property_of(name):
    return sh(f"systemctl show --property={name} --value {UNIT}").strip()


def answer(connection):
    return connection.recv(64)


@test("redis-server.service under `torpor run`: ready, asleep, awake and stopped as systemd has it")
def redis():
    text = read("/srv/systemd/examples/redis-server.service.d/torpor.conf").replace("/usr/bin/torpor", "/srv/bin/torpor")
    write(DROP_IN, text)
    try:
        sh("systemctl daemon-reload; systemctl start " + UNIT)
        check(property_of("ActiveState") == "active", "it is ready by its own READY=1")
        check("Ready to accept connections" in property_of("StatusText"), property_of("StatusText"))
        main = int(property_of("MainPID"))
        check(os.readlink(f"/proc/{main}/exe").endswith("/torpor"), "torpor is the main process")
        with socket.create_connection(("127.0.0.1", 6379), timeout=30) as connection:
            connection.sendall(b"PING\r\n")
            check(answer(connection) == b"+PONG\r\n", "it answers")
            os.kill(main, 20)
            eventually(lambda: stopped(main), "torpor and redis sleep")
            connection.sendall(b"PING\r\n")
            connection.settimeout(1)
            try:
                check(not answer(connection), "nobody answers")
            except TimeoutError:
                pass
            os.kill(main, 18)
            connection.settimeout(60)
            check(answer(connection) == b"+PONG\r\n", "it answers what was asked in its sleep")
        sh("systemctl stop " + UNIT)
        check(property_of("Result") == "success" and property_of("ExecMainStatus") == "0", "it ended well")
        return f"status “{property_of('StatusText') or 'Ready to accept connections'}”"
    finally:
        sh("systemctl stop " + UNIT, may_fail=True)
        shutil.rmtree(os.path.dirname(DROP_IN))
        sh("systemctl daemon-reload; systemctl reset-failed " + UNIT, may_fail=True)


def stopped(main):
    return read(f"/proc/{main}/stat").rsplit(")", 1)[1].split()[0] == "T"
