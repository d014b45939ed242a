import Glibc
import Linux
import Systemd
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Descriptors of notify messages` {
    @Test func `when descriptor numbers run out, a message is dropped and what came of it is closed`() async {
        // In a process of its own: the limit is for the whole process.
        await #expect(processExitsWith: .success) {
            let socket = try NotifySocket(at: .unique())
            var channel = try Channel()
            let copies = Array(repeating: channel.givenNumber, count: 100)
            try post(Array("FDSTORE=1".utf8), descriptors: copies, to: socket.address)
            channel.closeGiven()
            // A new descriptor gets the lowest free number: a few are left from there.
            let lowest = try channel.kept.duplicate().release()
            close(lowest)
            let resource = __rlimit_resource_t(7)  // RLIMIT_NOFILE
            var limit = rlimit()
            getrlimit(resource, &limit)
            limit.rlim_cur = rlim_t(lowest) + 4
            setrlimit(resource, &limit)
            guard case .dropped(.truncatedControlData, _) = try socket.receive() else { exit(2) }
            exit(channel.isClosedElsewhere() ? 0 : 3)
        }
    }

    @Test func `of 300 descriptors none leaks`() throws {
        let socket = try NotifySocket(at: .unique())
        var channel = try Channel()
        let copies = Array(repeating: channel.givenNumber, count: 300)
        let bytes = Array("FDSTORE=1\nFDNAME=many".utf8)
        // The kernel takes 253 with one message: what exceeds that cannot even be sent.
        #expect(throws: LinuxError(errno: EINVAL, call: "sendmsg", subject: socket.address.description)) {
            try post(bytes, descriptors: copies, to: socket.address)
        }
        try post(bytes, descriptors: Array(copies.prefix(253)), to: socket.address)
        try post(bytes, descriptors: Array(copies.dropFirst(253)), to: socket.address)
        channel.closeGiven()
        let open = channel.isOpenElsewhere()
        #expect(open)
        var counts: [Int] = []
        let more = try socket.drain { delivery in
            if case .message(let received) = delivery { counts.append(received.descriptors.count) }
        }
        #expect(!more)
        #expect(counts == [253, 47])
        let closed = channel.isClosedElsewhere()
        #expect(closed)
    }

    @Test func `descriptors arrive in order, owned, and closed on exec`() throws {
        let socket = try NotifySocket(at: .unique())
        var first = try Channel()
        var second = try Channel()
        let numbers = [first.givenNumber, second.givenNumber]
        try post(Array("FDSTORE=1".utf8), descriptors: numbers, to: socket.address)
        first.closeGiven()
        second.closeGiven()
        guard case .message(var received) = try socket.receive() else {
            Issue.record("no message")
            return
        }
        let flags = received.descriptors.rawValues.map { fcntl($0, F_GETFD) }
        #expect(flags == [FD_CLOEXEC, FD_CLOEXEC])
        discard(received.descriptors.popFirst())
        let (firstClosed, secondOpen) = (first.isClosedElsewhere(), second.isOpenElsewhere())
        #expect(firstClosed && secondOpen)
        discard(received)
        let secondClosed = second.isClosedElsewhere()
        #expect(secondClosed)
    }
}
