import Testing

@testable import Linux
@testable import Processes

@Suite struct `The table of locks` {
    private struct Row {
        let name: String
        let text: String
        let contested: [LockTable.Contested]
    }

    private static let one = contested(10, 20)

    private static func contested(
        _ owner: Int32, _ waiter: Int32, _ kind: String = "POSIX", _ file: String = "08:01:1234"
    ) -> LockTable.Contested {
        LockTable.Contested(lock: .init(kind: kind, owner: owner, file: file), waiter: waiter)
    }

    @Test func `tells who holds what others wait for`() {
        let held = "1: POSIX  ADVISORY  WRITE 10 08:01:1234 0 EOF\n"
        let rows = [
            Row(name: "nothing", text: "", contested: []),
            Row(name: "held by one, wanted by nobody", text: held, contested: []),
            Row(
                name: "wanted by one", text: held + "1: -> POSIX  ADVISORY  READ 20 08:01:1234 0 EOF\n",
                contested: [Self.one]),
            Row(
                name: "wanted by two",
                text: held + "1: -> POSIX ADVISORY READ 20 08:01:1234 0 EOF\n"
                    + "1:  -> POSIX ADVISORY WRITE 30 08:01:1234 5 9\n",
                contested: [Self.one, Self.contested(10, 30)]),
            Row(
                name: "wanted by somebody of another pid namespace",
                text:
                    "7: FLOCK  ADVISORY  WRITE 10 00:1a:77 0 EOF\n7: -> FLOCK ADVISORY WRITE 0 00:1a:77 0 EOF\n",
                contested: [Self.contested(10, 0, "FLOCK", "00:1a:77")]),
            Row(
                name: "of an open file",
                text:
                    "2: OFDLCK ADVISORY  WRITE -1 08:01:1 0 EOF\n2: -> OFDLCK ADVISORY WRITE 20 08:01:1 0 EOF\n",
                contested: [Self.contested(-1, 20, "OFDLCK", "08:01:1")]),
            Row(
                name: "a waiter without a holder", text: "3: -> POSIX ADVISORY READ 20 08:01:1 0 EOF",
                contested: []),
            Row(
                name: "garbage before, between and after",
                text: "locks\n\n: \n1\n1:\n1: ->\n->\n" + held
                    + "x: y z\n1: -> POSIX ADVISORY\n9: > > > > > >\n"
                    + "1: -> POSIX ADVISORY READ twenty 08:01:1234 0 EOF\n1: -> POSIX ADVISORY READ 5 file 0 EOF\n"
                    + "1: -> POSIX ADVISORY READ 20 08:01:1234 0 EOF\n\u{0}\u{1}>",
                contested: [Self.one]),
            Row(
                name: "a kind of lock to come",
                text:
                    "1: LEASE BREAKING READ 10 08:01:1234 0 EOF\n1: -> LEASE BREAKER READ 20 08:01:1234 0 EOF",
                contested: [Self.contested(10, 20, "LEASE")]),
        ]
        for row in rows { #expect(LockTable(parsing: row.text).contested == row.contested, "\(row.name)") }
    }

    @Test func `counts what one process of a worker waits for from another of it as its own affair`() {
        let table = LockTable(
            parsing: "1: POSIX ADVISORY WRITE 10 08:01:1 0 EOF\n1: -> POSIX ADVISORY WRITE 20 08:01:1 0 EOF")
        #expect(table.held(by: [10])?.waiter == 20)
        #expect(table.held(by: [10, 20]) == nil)
        #expect(table.held(by: [20]) == nil)
        #expect(table.held(by: []) == nil)
    }

    @Test func `counts a lock whose owner has left it to others as theirs`() {
        let table = LockTable(
            parsing: """
                1: POSIX  ADVISORY  WRITE 10 08:01:1 0 EOF
                2: OFDLCK ADVISORY  WRITE -1 08:01:2 0 EOF
                3: FLOCK  ADVISORY  WRITE 99 08:01:3 0 EOF
                3: -> FLOCK ADVISORY WRITE 20 08:01:3 0 EOF
                """)
        let left = LockTable.Lock(kind: "FLOCK", owner: 99, file: "08:01:3")
        #expect(table.locks.count == 3 && table.locks.last == left)
        #expect(table.isHeld(by: [10]) && !table.isHeld(by: [11]) && !table.isHeld(by: [20]))
        #expect(table.isHeld(by: [11], or: [left]))
        #expect(table.held(by: [11], or: [left])?.waiter == 20 && table.held(by: [11]) == nil)
        #expect(table.held(by: [20], or: [left]) == nil)
        #expect(table.hasOrphans { _ in true } && table.hasOrphans { $0 != 99 })
        let owned = LockTable(parsing: "1: POSIX  ADVISORY  WRITE 10 08:01:1 0 EOF")
        #expect(!owned.hasOrphans { $0 == 10 } && owned.hasOrphans { _ in false })
    }

    @Test(arguments: [
        ("/dev/dri/card0", "/dev/dri/card0"), ("/tmp/gone (deleted)", "/tmp/gone"), ("pipe:[12]", nil),
        ("anon_inode:[eventfd]", nil), ("", nil), ("/memfd:x (deleted)", "/memfd:x"),
    ])
    func `reads what a descriptor is open on`(_ row: (link: String, path: String?)) {
        #expect(OpenFiles.path(of: Array(row.link.utf8)) == row.path)
    }
}
