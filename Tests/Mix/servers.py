"""The servers, as they are: how each is started, and how it is asked something whose answer is known."""
import hashlib
import os
import pwd
import shutil
import socket
import struct
import subprocess
import sys
import time


class Unavailable(Exception):
    """Why a server cannot take part."""


def program(name, *more):
    path = shutil.which(name, path=os.pathsep.join([*more, os.environ["PATH"], "/usr/sbin"]))
    if not path:
        raise Unavailable(f"{name} is not installed")
    return os.path.realpath(path) if more else path


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Connection:
    """A connection that reads lines and counted bytes."""

    def __init__(self, port, seconds):
        self.socket = socket.create_connection(("127.0.0.1", port), seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = self.socket.makefile("rb")

    def line(self):
        line = self.input.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError(f"the server closed the connection after {line!r}")
        return line[:-2]

    def bytes(self, count):
        data = self.input.read(count)
        if len(data) < count:
            raise ConnectionError(f"the server closed the connection after {len(data)} of {count} bytes")
        return data

    def close(self):
        self.input.close()
        self.socket.close()


def equal(answer, wanted):
    if answer != wanted:
        raise ValueError(f"answered {answer[:80]!r}, not {wanted[:80]!r}")


class Server:
    """A worker: its directory, its port and its [Worker] section."""

    def __init__(self, directory):
        self.directory = f"{directory}/{self.name}"
        os.mkdir(self.directory)
        os.chmod(self.directory, 0o755)
        self.port = free_port()
        self.lines = self.worker()

    def connect(self, seconds):
        return self.Connection(self.port, seconds)

    def write(self, name, text):
        path = f"{self.directory}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def await_answer(self):
        import random
        for attempt in range(600):
            try:
                connection = self.connect(5)
                try:
                    return connection.ask(random.Random(attempt))
                finally:
                    connection.close()
            except (OSError, ValueError) as error:
                last = error
                time.sleep(0.1)
        raise RuntimeError(f"{self.name} does not answer: {last}")


class Redis(Server):
    name = "redis"

    def worker(self):
        return [f'ExecStart={program("redis-server")} --bind 127.0.0.1 --port {self.port} --save "" --appendonly no']

    class Connection(Connection):
        def ask(self, random):
            key, value = f"k{random.randrange(50)}-{id(self)}", str(random.random())
            self.socket.sendall(f"SET {key} {value}\r\n".encode())
            equal(self.line(), b"+OK")
            self.socket.sendall(f"GET {key}\r\n".encode())
            equal(self.line(), f"${len(value)}".encode())
            equal(self.line(), value.encode())


class Memcached(Server):
    name = "memcached"

    def worker(self):
        user = " -u nobody" if os.geteuid() == 0 else ""
        return [f'ExecStart={program("memcached")} -l 127.0.0.1 -p {self.port}{user}']

    class Connection(Connection):
        def ask(self, random):
            key, value = f"k{random.randrange(50)}-{id(self)}", str(random.random())
            self.socket.sendall(f"set {key} 0 0 {len(value)}\r\n{value}\r\n".encode())
            equal(self.line(), b"STORED")
            self.socket.sendall(f"get {key}\r\n".encode())
            equal(self.line(), f"VALUE {key} 0 {len(value)}".encode())
            equal(self.line(), value.encode())
            equal(self.line(), b"END")


class HTTPConnection(Connection):
    """Asks for /N and wants the digest of N, as every server here answers."""

    def ask(self, random):
        number = random.randrange(100)
        self.socket.sendall(f"GET /{number} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        equal(self.line()[:12], b"HTTP/1.1 200")
        length = None
        while header := self.line():
            name, value = header.split(b":", 1)
            if name.lower() == b"content-length":
                length = int(value)
        if length is None:
            raise ValueError("the answer has no length")
        equal(self.bytes(length), digest(number).encode())


def digest(number):
    return hashlib.sha256(str(number).encode()).hexdigest() * 20


class Nginx(Server):
    name = "nginx"
    Connection = HTTPConnection

    def worker(self):
        nginx = program("nginx")
        os.mkdir(f"{self.directory}/www")
        for number in range(100):
            self.write(f"www/{number}", digest(number))
        # No timer of its own may close a connection that the client keeps.
        paths = "".join(f"  {kind}_temp_path {self.directory}/{kind};\n"
                        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user nobody nogroup;\n" if os.geteuid() == 0 else ""
        file = self.write("nginx.conf", f"""{user}worker_processes 2;
daemon off;
pid {self.directory}/pid;
error_log {self.directory}/error.log;
events {{ worker_connections 512; }}
http {{
  access_log off;
  keepalive_timeout 1d;
  keepalive_requests 1000000;
{paths}  server {{ listen 127.0.0.1:{self.port}; root {self.directory}/www; }}
}}
""")
        return [f"ExecStart={nginx} -e {self.directory}/error.log -p {self.directory} -c {file}"]


class Node(Server):
    name = "node"
    Connection = HTTPConnection

    def worker(self):
        node = program("node")
        file = self.write("server.js", f"""const crypto = require('crypto');
const server = require('http').createServer((request, answer) => {{
  const body = crypto.createHash('sha256').update(request.url.slice(1)).digest('hex').repeat(20);
  answer.writeHead(200, {{ 'Content-Length': body.length }});
  answer.end(body);
}});
server.keepAliveTimeout = 0;
server.requestTimeout = server.headersTimeout = 0;
server.listen({self.port}, '127.0.0.1');
""")
        return [f"ExecStart={node} {file}"]


class Python(Server):
    name = "python"
    Connection = HTTPConnection

    def worker(self):
        file = self.write("server.py", f"""import hashlib, http.server
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    def do_GET(self):
        body = (hashlib.sha256(self.path[1:].encode()).hexdigest() * 20).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", {self.port}), Handler).serve_forever()
""")
        return [f"ExecStart={os.path.realpath(sys.executable)} {file}"]


class Java(Server):
    name = "java"
    Connection = HTTPConnection

    def worker(self):
        java, javac = program("java"), program("javac")
        file = self.write("Digests.java", f"""import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.concurrent.Executors;

public class Digests {{
    public static void main(String[] arguments) throws Exception {{
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", {self.port}), 100);
        server.createContext("/", exchange -> {{
            try {{
                byte[] name = exchange.getRequestURI().getPath().substring(1).getBytes();
                byte[] body = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(name)).repeat(20).getBytes();
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
                exchange.close();
            }} catch (java.security.NoSuchAlgorithmException error) {{
                throw new RuntimeException(error);
            }}
        }});
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.start();
    }}
}}
""")
        compiled = subprocess.run([javac, "-d", self.directory, file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, check=False)
        if compiled.returncode:
            raise Unavailable("javac: " + compiled.stdout.strip().splitlines()[0])
        # It would close what was quiet for 30 s, and refuse to keep more than so many.
        return [f"ExecStart={java} -Xmx128m -Dsun.net.httpserver.idleInterval=100000 -Dsun.net.httpserver.maxIdleConnections=1000"
                f" -Dsun.net.httpserver.nodelay=true -cp {self.directory} Digests"]


class Postgres(Server):
    name = "postgres"

    def worker(self):
        bins = [f"/usr/lib/postgresql/{version}/bin" for version in sorted(
            os.listdir("/usr/lib/postgresql") if os.path.isdir("/usr/lib/postgresql") else [], reverse=True)]
        postgres, initdb = program("postgres", *bins), program("initdb", *bins)
        user, identity = [], {}
        if os.geteuid() == 0:
            # It refuses to run as root.
            try:
                entry = next(pwd.getpwnam(name) for name in ("postgres", "nobody") if known(name))
            except StopIteration:
                raise Unavailable("it does not run as root, and there is no user postgres") from None
            os.chown(self.directory, entry.pw_uid, entry.pw_gid)
            user, identity = [f"User={entry.pw_name}"], {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        data = self.directory + "/data"
        made = subprocess.run([initdb, "-D", data, "-U", "mix", "-A", "trust", "--no-sync", "--locale=C", "-E", "UTF8"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.directory, check=False, **identity)
        if made.returncode:
            raise Unavailable("initdb: " + (made.stdout.strip().splitlines() or ["failed"])[-1])
        return [*user, f"ExecStart={postgres} -D {data} -p {self.port} -h 127.0.0.1 -k {self.directory} -c fsync=off"]

    class Connection(Connection):
        """As much of its protocol as a query needs."""

        def __init__(self, port, seconds):
            super().__init__(port, seconds)
            words = b"user\0mix\0database\0postgres\0\0"
            self.socket.sendall(struct.pack("!II", 8 + len(words), 3 << 16) + words)
            self.answers()

        def answers(self):
            """The rows' only columns, until it is ready for more."""
            rows = []
            while True:
                kind, length = struct.unpack("!cI", self.bytes(5))
                body = self.bytes(length - 4)
                if kind == b"D":
                    rows.append(body[6:])
                elif kind == b"E":
                    raise ConnectionError(body.replace(b"\0", b" ").decode(errors="replace"))
                elif kind == b"Z":
                    return rows

        def ask(self, random):
            number = random.randrange(1 << 20)
            query = f"SELECT count(*) + {number} FROM pg_class WHERE relname = 'pg_class'".encode() + b"\0"
            self.socket.sendall(b"Q" + struct.pack("!I", 4 + len(query)) + query)
            rows = self.answers()
            equal(rows[0] if rows else b"", str(number + 1).encode())

        def close(self):
            try:
                self.socket.sendall(b"X" + struct.pack("!I", 4))
            except OSError:
                pass
            super().close()


def known(name):
    try:
        return bool(pwd.getpwnam(name))
    except KeyError:
        return False


SERVERS = [Redis, Nginx, Node, Postgres, Java, Python, Memcached]
