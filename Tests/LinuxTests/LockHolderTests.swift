import Foundation
import TestSupport
import Testing

@testable import Linux
@testable import Processes

@Suite struct `The holder of a lock` {
    @Test(arguments: [
        ("", LockTable.Holder.nothing),
        ("1: POSIX  ADVISORY  WRITE 77 00:1a:567 0 EOF", .process(77)),
        ("1: FLOCK  ADVISORY  WRITE 77 00:1a:567 0 EOF", .nothing),
        ("1: POSIX  ADVISORY  WRITE 77 00:1a:568 0 EOF", .nothing),
        ("1: POSIX  ADVISORY  WRITE 77 00:1b:567 0 EOF", .nothing),
        ("1: POSIX  ADVISORY  WRITE 0 00:1a:567 0 EOF", .other),
        (
            "1: FLOCK  ADVISORY  WRITE 5 00:1a:567 0 EOF\n2: POSIX  ADVISORY  WRITE 7 00:1a:567 0 EOF",
            .process(7)
        ),
        ("1: -> POSIX  ADVISORY  WRITE 77 00:1a:567 0 EOF", .nothing),
        ("nonsense", .nothing), ("1: POSIX ADVISORY WRITE x 00:1a:567 0 EOF", .nothing),
        ("1: POSIX ADVISORY WRITE 77 00:1a:99999999999999999999999 0 EOF", .nothing),
        ("1: POSIX ADVISORY WRITE 77 zz:1a:567 0 EOF", .nothing),
    ])
    func `is read from the kernel's table`(text: String, holder: LockTable.Holder) {
        #expect(LockTable.holder(of: (device: 0x1a, inode: 567), in: text) == holder)
    }

    @Test func `is found without opening the file`() throws {
        try withTemporaryDirectory { path in
            let file = "\(path)/lock"
            #expect(LockTable.holder(of: file) == LockTable.Holder.nothing)
            let lock = try FileLock(file)
            #expect(LockTable.holder(of: file) == .process(ThisProcess.pid))
            _ = consume lock
            #expect(LockTable.holder(of: file) == LockTable.Holder.nothing)
        }
    }
}
