package import Linux

/// The journal, spoken to in its own protocol: one datagram of fields an entry, none of which is ever waited for.
///
/// sd_journal_sendv(3) speaks the same (systemd.io/JOURNAL_NATIVE_PROTOCOL), but waits while the journal's queue is full, and
/// every worker of this process would wait with it.
package struct Journal: ~Copyable, Sendable {
    /// One field of an entry.
    package struct Field: Hashable, Sendable {
        /// Its name: capital entries, digits and `_`.
        package let name: String
        /// Its value, any text.
        package let value: String

        /// The field `name` with `value`.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What became of an entry.
    package enum Outcome: Hashable, Sendable {
        /// The journal has it.
        case sent
        /// The journal's queue is full: it was not sent.
        case wouldBlock
    }

    /// Where the journal listens.
    package static let path = "/run/systemd/journal/socket"

    private let socket: DatagramSocket
    private let address: UnixSocketAddress

    /// The journal that listens at `path`; it need not exist yet.
    package init(at path: String = Self.path) throws(LinuxError) {
        let address = try UnixSocketAddress(path)
        socket = try DatagramSocket()
        self.address = address
    }

    /// Sends an entry; never waits.
    ///
    /// Fails with ENOENT or ECONNREFUSED where there is no journal.
    package func send(_ fields: [Field]) throws(LinuxError) -> Outcome {
        try socket.send(Self.encode(fields), to: address) ? .sent : .wouldBlock
    }

    /// `NAME=value` and a newline for each; a value of several lines is told by its length.
    static func encode(_ fields: [Field]) -> [UInt8] {
        var bytes: [UInt8] = []
        for field in fields {
            bytes += field.name.utf8
            let value = Array(field.value.utf8)
            if value.contains(0x0a) {
                bytes.append(0x0a)
                for shift in stride(from: 0, to: 64, by: 8) {
                    bytes.append(UInt8(truncatingIfNeeded: UInt64(value.count) >> UInt64(shift)))
                }
            } else {
                bytes.append(UInt8(ascii: "="))
            }
            bytes += value
            bytes.append(0x0a)
        }
        return bytes
    }

    /// Whether our descriptor `descriptor` is the stream that `$JOURNAL_STREAM` tells of (systemd.exec(5)): what is written
    /// there reaches the journal, and so may be sent to it with all fields instead.
    package static func receives(_ descriptor: Int32, environment: Environment) -> Bool {
        guard let stream = environment["JOURNAL_STREAM"]?.description, !stream.isEmpty else { return false }
        return OwnedDescriptor.identity(of: descriptor) == stream
    }
}
