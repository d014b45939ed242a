import Foundation
import Glibc
import TestSupport

/// A service manager as far as its descriptor store goes (sd_notify(3), FDSTORE=1): it keeps what it is given while no daemon is
/// there, and hands it to the next one.
final class StoringManager {
    private let process: Wrapper
    private let name: String

    init() throws {
        name = "torpor-test/\(UUID().uuidString)"
        process = try Wrapper([], [], line: ["/usr/bin/python3", "-IS", "-c", Self.manager, name])
        guard try process.output.next() == "ready" else { throw TimedOut(description: "no manager") }
    }

    /// What is put in front of the command line of a daemon that is to be its service.
    var starter: [String] { ["/usr/bin/python3", "-IS", "-c", Self.starter, name] }

    /// Waits until one of these has happened: `stored NAME`, `removed NAME`, `hung up NAME`.
    func await(_ news: String...) throws {
        while let line = try process.output.next() { if news.contains(line) { return } }
        throw TimedOut(description: "never heard: \(news)")
    }

    /// Waits until something has happened that begins like one of these.
    func awaitBeginning(_ news: String...) throws {
        while let line = try process.output.next() { if news.contains(where: line.hasPrefix) { return } }
        throw TimedOut(description: "never heard: \(news)")
    }

    private static let manager = """
        import os, select, socket, sys
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.bind("\\0" + sys.argv[1] + "/notify")
        door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        door.bind("\\0" + sys.argv[1] + "/door")
        door.listen()
        poll = select.poll()
        poll.register(notify, select.POLLIN)
        poll.register(door, select.POLLIN)
        store = []
        def drop(what, entry):
            store.remove(entry)
            if entry[2]: poll.unregister(entry[1])
            os.close(entry[1])
            print(what, entry[0], flush=True)
        print("ready", flush=True)
        while True:
            for ready, _ in poll.poll():
                if ready == notify.fileno():
                    data, fds, _, _ = socket.recv_fds(notify, 4096, 253)
                    fields = dict(line.split("=", 1) for line in data.decode().split("\\n") if "=" in line)
                    name = fields.get("FDNAME", "stored")
                    if fields.get("FDSTOREREMOVE") == "1":
                        for entry in [e for e in store if e[0] == name]: drop("removed", entry)
                    elif fields.get("FDSTORE") == "1":
                        for fd in fds:
                            polled = fields.get("FDPOLL") != "0"
                            if polled: poll.register(fd, select.POLLHUP)
                            store.append((name, fd, polled))
                            print("stored", name, flush=True)
                    else:
                        for fd in fds: os.close(fd)
                elif ready == door.fileno():
                    start, _ = door.accept()
                    names = ":".join(entry[0] for entry in store) + "\\n"
                    socket.send_fds(start, [names.encode()], [entry[1] for entry in store])
                    start.close()
                else:
                    for entry in [e for e in store if e[1] == ready]: drop("hung up", entry)
        """

    private static let starter = """
        import fcntl, os, socket, sys
        door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        door.connect("\\0" + sys.argv[1] + "/door")
        names, fds, _, _ = socket.recv_fds(door, 65536, 253)
        door.close()
        for number, fd in enumerate([fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100) for fd in fds]):
            os.dup2(fd, 3 + number)
        os.environ["NOTIFY_SOCKET"] = "@" + sys.argv[1] + "/notify"
        if fds:
            os.environ["LISTEN_FDS"] = str(len(fds))
            os.environ["LISTEN_FDNAMES"] = names.decode().strip()
            os.environ["LISTEN_PID"] = str(os.getpid())
        os.execv(sys.argv[2], sys.argv[2:])
        """
}
