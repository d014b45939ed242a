import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// A store on a disk of its own that is full.
@Suite(.timeLimit(.minutes(60))) struct `A full disk` {
    private static let worker = """
        [Worker]
        ExecStart=/bin/sleep 1000
        [Notifications]
        chat=exec:/bin/true
        """

    @Test(.requires(.ownMounts), .requires(.program("/usr/bin/nsenter")))
    func `has posts refused, forgets nothing, and takes them again when there is room`() throws {
        try withTemporaryDirectory(mode: 0o1777) { disk in
            // A mount namespace that lives as long as a process is in it, through all lives of the daemon.
            let holder = try Wrapper(
                [], [],
                line: [
                    "unshare", "-m", "/bin/sh", "-c",
                    "mount -t tmpfs -o size=1m none \(disk) && echo mounted && exec sleep 1000",
                ])
            #expect(try holder.output.next() == "mounted")
            let daemon = try DaemonUnderTest(
                ["idle": Self.worker], through: ["nsenter", "-m", "-t", "\(holder.pid)", "--"], state: disk)
            func post(_ number: Int) throws -> (status: Int32, output: String, errors: String) {
                try daemon.torpor("post", "idle", "chat", "--rule", "each", "--payload", "{\"n\":\(number)}")
            }
            #expect(try post(1).status == 0)
            let filler = "/proc/\(holder.pid)/root\(disk)/filler"
            #expect(fill(filler) > 0)
            let refused = try eventually("a post to be refused") {
                let answer = try post(2)
                return answer.status == 0 ? nil : answer
            }
            #expect(refused.status == 75 && refused.errors.contains("it cannot be stored"))
            let doctor = try daemon.torpor("doctor").output
            #expect(doctor.contains("free space on the disk"))
            // What need not be kept is taken all the same.
            #expect(try daemon.torpor("post", "idle", "chat", "--transient", "--rule", "each").status == 0)
            unlink(filler)
            _ = try eventually("posts to be taken again") { try post(3).status == 0 ? true : nil }
            try daemon.killAndRestart()
            let listed = try daemon.torpor("notifications", "idle", "--json=short").output
            #expect(listed.contains(#"{"n":1}"#) && listed.contains(#"{"n":3}"#))
        }
    }

    /// Writes until nothing more fits, and answers how much that was.
    private func fill(_ path: String) -> Int {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        var size = 0
        let block = [UInt8](repeating: 1, count: 4096)
        while true {
            let count = write(file, block, block.count)
            guard count > 0 else { return size }
            size += count
        }
    }
}
