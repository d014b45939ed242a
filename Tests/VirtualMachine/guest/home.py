"""Redis, nginx and a worker that only sleeps, led by the installed package; what the tests of home_*.py share."""
import shutil
import socket

from package import install, measured, packages, pids, purge
from service import answers, define, states
from vm import Skipped, check, eventually, sh, write

REDIS = """[Worker]
Description=Redis
ExecStart=/usr/bin/redis-server --supervised systemd --daemonize no --port 6390 --save "" --dir /var/lib/redis
User=redis
Type=notify
Launch=boot
Restart=on-failure
"""
NGINX = """[Worker]
Description=nginx
ExecStart=/usr/sbin/nginx -c /run/nginx-torpor.conf
Type=simple
Launch=boot-background
Restart=on-failure

[Notifications]
settingsChanged=signal:HUP
"""
NGINX_CONF = """daemon off; pid /run/nginx-torpor.pid; error_log stderr; worker_processes 1;
events { worker_connections 64; }
http { access_log off; server { listen 127.0.0.1:8090; location / { return 200 "here\\n"; } } }
"""
NAPPER = "[Worker]\nExecStart=/bin/sleep infinity\nLaunch=prelaunch\n"


def redis(command):
    """What redis answers to a line."""
    with socket.create_connection(("127.0.0.1", 6390), timeout=30) as connection:
        connection.sendall(command.encode() + b"\r\n")
        return connection.recv(4096).decode()


def nginx():
    with socket.create_connection(("127.0.0.1", 8090), timeout=30) as connection:
        connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
        return connection.makefile().read()


def cleaned(function):
    """A test of the installed package, which it installs where it is not, and purges when it fails.

    The files home_*.py come one after the other, and the last of them removes it.
    """
    def run():
        try:
            if not shutil.which("torpord", path="/usr/bin"):
                packages()
                write("/run/nginx-torpor.conf", NGINX_CONF)
                for name, text in {"redis": REDIS, "nginx": NGINX, "napper": NAPPER}.items():
                    define(name, text)
                install()
            return function()
        except Skipped:
            raise
        except BaseException:
            print(sh("systemctl status --no-pager --full 'torpor*'; torpor list", may_fail=True), flush=True)
            purge()
            raise
    return run


def survives(action, patience=60):
    """Runs `action` and returns how long no daemon answered; all workers live through it, as they were."""
    before, there = pids(), states()
    redis("SET kept yes")
    took = measured(lambda: (action(), eventually(answers, "the daemon answers", patience)))
    eventually(lambda: pids() == before, f"the same processes: {before}, now {pids()}", patience)
    eventually(lambda: there.items() <= states().items(), f"the same states: {there}, now {states()}", patience)
    check("yes" in redis("GET kept"), "redis knows what it knew")
    return took
