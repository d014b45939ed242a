import Glibc
import Systemd
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Inotify source` {
    @Test func `tells of entries by name, and of the end of the directory`() async throws {
        let seen = try await onThread {
            let directory = try TemporaryDirectory()
            let loop = try EventLoop()
            var seen: [InotifyEvent] = []
            let source = try InotifySource(
                on: loop, path: directory.path, events: [.created, .movedTo, .deletedSelf], priority: .clients
            ) { event in
                seen.append(event)
                if event.events.contains(.ignored) { loop.exit(0) }
            }
            close(open(directory.path + "/a.tmp", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            rename(directory.path + "/a.tmp", directory.path + "/a file")
            unlink(directory.path + "/a file")
            rmdir(directory.path)
            _ = try loop.run()
            withExtendedLifetime(source) {}
            return seen
        }
        #expect(seen.map(\.events) == [.created, .movedTo, .deletedSelf, .ignored])
        #expect(seen.map(\.name) == ["a.tmp", "a file", "", ""])
        #expect(seen.map { $0.cookie != 0 } == [false, true, false, false])
    }

    @Test func `a path that is not there is refused`() async throws {
        try await onThread {
            let loop = try EventLoop()
            #expect(throws: SystemdError(errno: ENOENT, operation: "sd_event_add_inotify")) {
                _ = try InotifySource(
                    on: loop, path: "/nonexistent", events: .modified, priority: .clients
                ) { _ in }
            }
        }
    }
}
