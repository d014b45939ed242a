import Foundation
import Glibc
import TestSupport
import Testing

@testable import Linux
@testable import Processes

@Suite struct `A lock on a regular file` {
    @Test(arguments: [
        ("", nil), ("pos:\t0\nflags:\t02\n", nil),
        ("pos:\t0\nlock:\t1: FLOCK  ADVISORY  WRITE 359 00:13:11691 0 EOF\n", "FLOCK"),
        ("lock:\t1: POSIX  ADVISORY  READ 359 00:13:11691 0 EOF\n", "POSIX"),
        ("lock:\t1: OFDLCK ADVISORY  WRITE -1 00:13:11691 0 EOF\n", "OFDLCK"),
        ("lock:\t1: LEASE  ACTIVE    READ 359 00:13:11691 0 EOF\n", nil),
        ("lock:\t1: LEASE A\nlock:\t1: FLOCK A 1\nlock:\t2: POSIX  ADVISORY  READ 1 0:0:1 0 EOF\n", "POSIX"),
        ("lock:\nlock: 1:\nlocks: 1: FLOCK\n\u{0}", nil),
    ])
    func `is read from what the kernel says of a descriptor`(text: String, kind: String?) {
        #expect(HeldFileLock.locks(in: text).first?.kind == kind)
    }

    @Test func `is found although no process waits for it, and is gone with it`() throws {
        try withTemporaryDirectory { path in
            let file = open("\(path)/data", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(file) }
            // Other tests of this process lock files of their own.
            func found() -> Bool {
                (try? KernelFile.text("/proc/self/fdinfo/\(file)")).map(HeldFileLock.locks)?.first?.kind
                    == "FLOCK"
            }
            #expect(!found())
            #expect(flock(file, LOCK_EX) == 0)
            #expect(found() && HeldFileLock.first(of: [ThisProcess.pid]) != nil)
            let all = HeldFileLock.all(of: [ThisProcess.pid])
            let held = try #require(
                all.first { $0.path.hasSuffix("/data") && $0.lock.owner == ThisProcess.pid })
            #expect(held.lock.kind == "FLOCK" && held.pid == ThisProcess.pid)
            #expect(LockTable.current().isHeld(by: [], or: [held.lock]))
            #expect(flock(file, LOCK_UN) == 0)
            #expect(!found())
        }
    }
}
