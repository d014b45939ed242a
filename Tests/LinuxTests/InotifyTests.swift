import Glibc
import Linux
import Testing

@Suite struct `Watches by inotify` {
    @Test func `tell of entries by name, of each change of a file, and of the end of the directory`() throws {
        var template = Array("/tmp/torpor-inotify-XXXXXX".utf8CString)
        #expect(mkdtemp(&template) != nil)
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let inotify = try Inotify()
        let whole = try inotify.add(directory, [.created, .movedTo])
        // The same directory is the same watch, for both.
        #expect(try inotify.add(directory, [.deletedSelf, .onlyDirectory]) == whole)
        close(open(directory + "/a.tmp", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        rename(directory + "/a.tmp", directory + "/a file")
        let file = try inotify.add(directory + "/a file", [.attributes])
        unlink(directory + "/a file")
        rmdir(directory)
        var seen: [InotifyEvent] = []
        while case let more = inotify.read(), !more.isEmpty { seen += more }
        #expect(seen.map(\.watch) == [whole, whole, file, file, whole, whole])
        #expect(
            seen.map(\.events) == [.created, .movedTo, .attributes, .ignored, .deletedSelf, .ignored])
        #expect(seen.map(\.name) == ["a.tmp", "a file", "", "", "", ""])
        inotify.remove(whole)
    }

    @Test func `a path that is not there is refused`() throws {
        let inotify = try Inotify()
        #expect(throws: LinuxError(errno: ENOENT, call: "inotify_add_watch", subject: "/nonexistent")) {
            try inotify.add("/nonexistent", .modified)
        }
    }
}
