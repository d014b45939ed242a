import Glibc
import TestSupport
import Testing

@testable import Processes

/// Which sockets listen at a port.
@Suite struct `Listening sockets` {
    private static let header =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

    struct Row: CustomTestStringConvertible, Sendable {
        let line: String
        let inodes: Set<UInt64>
        var testDescription: String { line }
    }

    @Test(arguments: [
        Row(
            line:
                "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000   101        0 20347 1 0",
            inodes: [20347]),
        Row(
            line:
                "   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 77 1",
            inodes: [77]),
        // Another port, a connection, one that no process holds any more, and no line at all.
        Row(
            line: "   0: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000 101 0 20347 1",
            inodes: []),
        Row(
            line: "   0: 0100007F:1F90 0100007F:9999 01 00000000:00000000 00:00000000 00000000 101 0 20347 1",
            inodes: []),
        Row(
            line: "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 101 0 0 1",
            inodes: []),
        Row(line: "0: 0100007F:1F90 0A", inodes: []), Row(line: "", inodes: []),
        Row(line: ": : : :", inodes: []),
    ])
    func `are found in the kernel's table`(_ row: Row) {
        let table = Array((Self.header + row.line + "\n").utf8)
        #expect(ListeningSockets.inodes(listeningAt: 8080, in: table) == row.inodes)
    }

    @Test func `count for the process that holds them, and for no other`() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let port = try bindToLoopback(descriptor)
        let own = getpid()
        #expect(!ListeningSockets.isListening(at: port, main: own, processes: [own]))
        try #require(listen(descriptor, 1) == 0)
        #expect(ListeningSockets.isListening(at: port, main: own, processes: [own]))
    }
}
