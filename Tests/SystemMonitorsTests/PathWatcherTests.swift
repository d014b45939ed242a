import Glibc
import Linux
import Supervisor
import Synchronization
import SystemEvents
import Systemd
import Testing

/// What is done to a tree of files, and how often the watched path is told to have changed by it.
struct Doing: Sendable {
    let changes: Int
    let act: @Sendable (_ path: (String) -> String) -> Void

    init(_ changes: Int, _ act: @escaping @Sendable (_ path: (String) -> String) -> Void) {
        self.changes = changes
        self.act = act
    }
}

struct Tale: Sendable, CustomTestStringConvertible {
    let name: String
    let watched: String
    let doings: [Doing]

    init(_ name: String, watching watched: String = "conf", _ doings: [Doing]) {
        (self.name, self.watched, self.doings) = (name, watched, doings)
    }
    var testDescription: String { name }
}

@Suite(.timeLimit(.minutes(60))) struct `Watched files` {
    static let tales: [Tale] = [
        Tale(
            "a file written in place",
            [
                Doing(1) { write("a", to: $0("conf")) }, Doing(1) { write("b", to: $0("conf")) },
                Doing(1) { truncate($0("conf"), 0) },
            ]),
        Tale(
            "the same content again is nothing",
            [
                Doing(1) { write("a", to: $0("conf")) }, Doing(0) { write("a", to: $0("conf")) },
                Doing(0) { utimes($0("conf"), nil) }, Doing(0) { chmod($0("conf"), 0o600) },
                Doing(0) {
                    write("a", to: $0("new"))
                    rename($0("new"), $0("conf"))
                },
                Doing(0) {
                    write("b", to: $0("conf"))
                    write("a", to: $0("conf"))
                },
            ]),
        Tale(
            "fifty edits at once are one",
            [
                Doing(1) { for text in 0..<50 { write("\(text)", to: $0("conf")) } }
            ]),
        Tale(
            "an atomic rename, as most programs write",
            [
                Doing(1) { write("a", to: $0("conf")) },
                Doing(1) {
                    write("b", to: $0("conf.tmp"))
                    rename($0("conf.tmp"), $0("conf"))
                },
                Doing(1) { write("c", to: $0("conf")) },
                Doing(1) {
                    write("d", to: $0("conf.tmp"))
                    rename($0("conf.tmp"), $0("conf"))
                },
            ]),
        Tale(
            "an editor that moves the old file away, as vim does",
            [
                Doing(1) { write("a", to: $0("conf")) },
                Doing(1) {
                    rename($0("conf"), $0("conf~"))
                    write("b", to: $0("conf"))
                    unlink($0("conf~"))
                },
                Doing(1) { write("c", to: $0("conf")) },
            ]),
        Tale(
            "sed -i",
            [
                Doing(1) { write("a", to: $0("conf")) }, Doing(1) { sed("s/a/b/", $0("conf")) },
                Doing(0) { sed("s/x/y/", $0("conf")) }, Doing(1) { sed("s/b/c/", $0("conf")) },
            ]),
        Tale(
            "a file that goes and comes",
            [
                Doing(1) { write("a", to: $0("conf")) }, Doing(1) { unlink($0("conf")) },
                Doing(1) { write("a", to: $0("conf")) },
                Doing(0) {
                    unlink($0("conf"))
                    write("a", to: $0("conf"))
                },
                Doing(1) { write("b", to: $0("conf")) },
            ]),
        Tale(
            "directories that are missing at first, go, and come again", watching: "etc/app/conf",
            [
                Doing(0) { mkdir($0("etc"), 0o755) }, Doing(0) { mkdir($0("etc/app"), 0o755) },
                Doing(1) { write("a", to: $0("etc/app/conf")) }, Doing(1) { rename($0("etc"), $0("old")) },
                Doing(0) { write("b", to: $0("old/app/conf")) },
                Doing(1) { rename($0("old"), $0("etc")) }, Doing(1) { write("c", to: $0("etc/app/conf")) },
                Doing(1) {
                    unlink($0("etc/app/conf"))
                    rmdir($0("etc/app"))
                    rmdir($0("etc"))
                },
                Doing(1) {
                    mkdir($0("etc"), 0o755)
                    mkdir($0("etc/app"), 0o755)
                    write("d", to: $0("etc/app/conf"))
                },
            ]),
        Tale(
            "a directory that is replaced while somebody has the old one open", watching: "etc/conf",
            [
                Doing(0) { mkdir($0("etc"), 0o755) }, Doing(1) { write("a", to: $0("etc/conf")) },
                Doing(1) {
                    let directory = open($0("etc"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                    held.withLock { $0 = directory }
                    unlink($0("etc/conf"))
                },
                Doing(0) { rmdir($0("etc")) }, Doing(0) { mkdir($0("etc"), 0o755) },
                Doing(1) { write("a", to: $0("etc/conf")) },
                Doing(0) { _ in close(held.withLock { $0 }) },
            ]),
        Tale(
            "a config map whose ..data link is swapped", watching: "map/key",
            [
                Doing(1) {
                    mkdir($0("map"), 0o755)
                    mkdir($0("map/..1"), 0o755)
                    write("a", to: $0("map/..1/key"))
                    symlink("..1", $0("map/..data"))
                    symlink("..data/key", $0("map/key"))
                },
                Doing(1) { swap($0, "2", "b") }, Doing(0) { swap($0, "3", "b") },
                Doing(1) { swap($0, "4", "c") },
            ]),
        Tale(
            "a link that points elsewhere", watching: "link",
            [
                Doing(0) { symlink("conf", $0("link")) }, Doing(1) { write("a", to: $0("conf")) },
                Doing(1) {
                    write("b", to: $0("other"))
                    symlink("other", $0("link.tmp"))
                    rename($0("link.tmp"), $0("link"))
                },
                Doing(0) { write("c", to: $0("conf")) }, Doing(1) { write("c", to: $0("other")) },
                Doing(1) { unlink($0("link")) },
            ]),
        Tale(
            "a directory, for what is in it", watching: "conf.d",
            [
                Doing(1) { mkdir($0("conf.d"), 0o755) }, Doing(1) { write("a", to: $0("conf.d/1")) },
                Doing(1) { write("bb", to: $0("conf.d/1")) }, Doing(1) { unlink($0("conf.d/1")) },
            ]),
        Tale(
            "a file that is too big to be read",
            [
                Doing(1) {
                    write("a", to: $0("conf"))
                    truncate($0("conf"), 2 << 20)
                },
                Doing(1) { truncate($0("conf"), 3 << 20) }, Doing(1) { unlink($0("conf")) },
            ]),
        Tale(
            "a FIFO, which nobody opens",
            [
                Doing(1) { mkfifo($0("conf"), 0o600) }, Doing(1) { unlink($0("conf")) },
            ]),
    ]

    /// The second watched file tells when the first has been looked at: they are read in order, however busy the machine is.
    private static let sentinel = "~sentinel"

    @Test(arguments: tales) func `are told of once for each change`(_ tale: Tale) async throws {
        let found = try await Bench.run { bench in
            let (path, sentinel) = (bench.path(tale.watched), bench.path(Self.sentinel))
            write("0", to: sentinel)
            var counts: [Int] = []
            var changes = 0
            var next = 0
            var complaints: [String] = []
            func proceed() {
                if next == tale.doings.count { return bench.loop.exit(0) }
                tale.doings[next].act(bench.path)
                next += 1
                write("\(next)", to: sentinel)
            }
            let watcher = PathWatcher(
                on: bench.loop, quietMicroseconds: 2000, patienceMicroseconds: .max / 2,
                report: { complaints.append($0) },
                changed: { change in
                    if change.path == path {
                        changes += 1
                    } else {
                        counts.append(changes)
                        changes = 0
                        proceed()
                    }
                })
            watcher.watch([path, sentinel])
            var hasBegun = false
            let begin = Box<TimeSource>()
            begin.value = try TimeSource(on: bench.loop, priority: .clients) { _ in
                guard watcher.present(of: sentinel) != nil else {
                    begin.value?.arm(at: KernelClock.monotonic + 1000)
                    return
                }
                if !hasBegun { proceed() }
                hasBegun = true
            }
            begin.value?.arm(at: 0)
            _ = try bench.loop.run()
            begin.value = nil
            watcher.watch([])
            #expect(complaints == [])
            return counts
        }
        #expect(found == tale.doings.map(\.changes))
    }

    @Test func `are told of when they are written before they have been looked at`() async throws {
        let told = try await Bench.run { bench in
            let path = bench.path("conf")
            write("a", to: path)
            var told: [String] = []
            func hear(_ path: String) {
                told.append(path)
                bench.loop.exit(0)
            }
            let watcher = PathWatcher(
                on: bench.loop, quietMicroseconds: 2000, patienceMicroseconds: .max / 2, report: { _ in },
                changed: { hear($0.path) })
            // A thread looks, now or later: it is told by what it is after that, or because it was written since.
            watcher.changedBeforeLook = { hear($0) }
            Self.tick()
            watcher.watch([path])
            Self.tick()
            write("b", to: path)
            _ = try bench.loop.run()
            watcher.watch([])
            return told.map { $0 == path }
        }
        #expect(told == [true])
    }

    @Test func `are told of when they are written a moment before they are looked at first`() async throws {
        let rounds = 40
        let told = try await Bench.run { bench in
            // Looked at before it, so that the write comes first, as on a busy machine; in some of the rounds by less than a tick.
            let others = (0..<2).map { bench.path("a\($0)") }
            for path in others { write("a", to: path) }
            var told: Set<String> = []
            let watcher = PathWatcher(
                on: bench.loop, quietMicroseconds: 2000, patienceMicroseconds: .max / 2, report: { _ in },
                changed: { told.insert($0.path) })
            watcher.changedBeforeLook = { told.insert($0) }
            for round in 0..<rounds {
                let path = bench.path("conf\(round)")
                write("a", to: path)
                Self.tick()
                watcher.watch(Set(others.prefix(1 + round % 2) + [path]))
                Self.tick()
                // Of a file that is looked at between two changes within a tick the kernel notes the second by the fine clock, and of none
                // that changes later an earlier time.
                for _ in 0..<2 {
                    write("a", to: bench.path("fine"))
                    _ = try #require(FileAttributes(of: bench.path("fine")))
                }
                write("b", to: path)
                let limit = KernelClock.monotonic + 60_000_000
                while !told.contains(path) {
                    guard KernelClock.monotonic < limit else { return round }
                    _ = try bench.loop.turn()
                }
                watcher.watch([])
            }
            // Each of them; of the others one may have been written just before.
            return rounds
        }
        #expect(told == rounds)
    }

    /// Waits for a tick of the clock of file systems, so that it is seen which came first.
    private static func tick() {
        let now = KernelClock.coarseWall
        while KernelClock.coarseWall == now { usleep(500) }
    }

    private static func swap(_ path: (String) -> String, _ version: String, _ text: String) {
        mkdir(path("map/..\(version)"), 0o755)
        write(text, to: path("map/..\(version)/key"))
        symlink("..\(version)", path("map/..data_tmp"))
        rename(path("map/..data_tmp"), path("map/..data"))
    }
}

/// A directory that stays open while a tale goes on.
private let held = Mutex<Int32>(-1)

/// Runs sed -i, and waits for it.
private func sed(_ script: String, _ path: String) {
    precondition(run("sed", "-i", script, path) == 0)
}
