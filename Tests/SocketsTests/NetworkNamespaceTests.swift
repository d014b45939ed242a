import Foundation
import Glibc
import Idleness
import Sockets
import TestSupport
import Testing

/// Sockets in another network namespace than this process's.
@Suite(.timeLimit(.minutes(60))) struct `A network namespace` {
    @Test func `of this process is its own, and that of a process that is gone is told nowhere`() {
        let own = NetworkNamespace.places(of: [getpid()])
        #expect(own.hasOwn && own.others.isEmpty)
        #expect(NetworkNamespace(ofProcess: getpid()) == NetworkNamespace.own)
        #expect(NetworkNamespace(ofProcess: Int32.max) == nil)
    }

    @Test(.requires(.networkNamespaces)) func `of another process shows its sockets, and only those`() throws
    {
        let process = Process()
        let (output, input) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "unshare", "-n", "python3", "-c",
            "import socket, sys; s = socket.socket(); s.bind(('0.0.0.0', 4711)); s.listen(7); print(1, flush=True); sys.stdin.read()",
        ]
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        defer {
            input.fileHandleForWriting.closeFile()
            process.waitUntilExit()
        }
        #expect(output.fileHandleForReading.readData(ofLength: 2) == Data("1\n".utf8))
        let own = try Listener()
        defer { withExtendedLifetime(own) {} }
        let both = [getpid(), process.processIdentifier]
        let places = NetworkNamespace.places(of: both)
        #expect(places.hasOwn && places.others.count == 1)
        let tables = try SockDiag.tables(of: both, .listening, withTraffic: false)
        try #require(tables.count == 2)
        #expect(tables[0].contains { $0.inode == own.inode })
        #expect(tables[1].map(\.local.port) == [4711])
        #expect(tables[1].map(\.sendQueue) == [7])
        var diag = try SockDiag(ofProcess: process.processIdentifier)
        #expect(try diag.dump(.all).count == 1)
        #expect(try diag.news(.all).sockets.isEmpty)
        // The thread that made the socket has not taken this one with it.
        #expect(NetworkNamespace(ofProcess: getpid()) == NetworkNamespace.own)
    }
}
