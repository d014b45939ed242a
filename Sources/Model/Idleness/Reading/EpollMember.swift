/// What an epoll instance watches, as its `/proc/PID/fdinfo/FD` tells (proc_pid_fdinfo(5)).
package struct EpollMember: Hashable, Sendable {
    /// The number under which it was added; the process may have another file there by now.
    package let descriptor: Int32
    /// The events that are waited for, with flags: `EPOLLIN`, `EPOLLET`….
    package let events: UInt32
    /// What the process has given the kernel for it, by which epoll_wait(2) tells of it.
    package let data: UInt64
    /// The inode of the file, in the file system of `device`.
    package let inode: UInt64
    /// The number of that file system, by which sockets, pipes and anonymous inodes are told apart.
    package let device: UInt64

    /// A member, by its parts.
    package init(descriptor: Int32, events: UInt32, data: UInt64, inode: UInt64, device: UInt64) {
        self.descriptor = descriptor
        self.events = events
        self.data = data
        self.inode = inode
        self.device = device
    }

    /// All members that `text` tells of, in its order; nil where a line of them cannot be read, so that nothing is missed.
    ///
    /// Lines of other fields are passed over. Kernels before 4.12 do not tell the inode: nil, too.
    package static func all(in text: String) -> [EpollMember]? {
        var members: [EpollMember] = []
        // Byte by byte: there may be thousands, and to the kernel a character is one.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) where line.starts(with: "tfd:".utf8) {
            guard let member = EpollMember(line) else { return nil }
            members.append(member)
        }
        return members
    }

    /// `tfd: 5 events: 19 data: 5  pos:0 ino:61 sdev:9`, of which `tfd` and `pos` are decimal.
    private init?(_ line: Substring.UTF8View) {
        var values = Values()
        var name: Substring.UTF8View?
        var rest = line
        while let word = Self.nextWord(&rest) {
            if let key = name {
                values.take(key, word)
                name = nil
            } else if let colon = word.firstIndex(of: UInt8(ascii: ":")) {
                let value = word[word.index(after: colon)...]
                if value.isEmpty { name = word[..<colon] } else { values.take(word[..<colon], value) }
            }
        }
        guard let descriptor = values.descriptor, descriptor >= 0, let events = values.events,
            let data = values.data, let inode = values.inode, let device = values.device
        else { return nil }
        self.init(
            descriptor: descriptor, events: events, data: data, inode: inode, device: device)
    }

    /// What is read of a line so far; what cannot be read is nil.
    private struct Values {
        var descriptor: Int32?
        var events: UInt32?
        var data: UInt64?
        var inode: UInt64?
        var device: UInt64?

        mutating func take(_ key: Substring.UTF8View, _ value: Substring.UTF8View) {
            if key.elementsEqual("tfd".utf8) {
                descriptor = Int32(Substring(value))
            } else if key.elementsEqual("events".utf8) {
                events = UInt32(Substring(value), radix: 16)
            } else if key.elementsEqual("data".utf8) {
                data = UInt64(Substring(value), radix: 16)
            } else if key.elementsEqual("ino".utf8) {
                inode = UInt64(Substring(value), radix: 16)
            } else if key.elementsEqual("sdev".utf8) {
                device = UInt64(Substring(value), radix: 16)
            }
        }
    }

    private static func nextWord(_ rest: inout Substring.UTF8View) -> Substring.UTF8View? {
        rest = rest.drop { isBlank($0) }
        guard !rest.isEmpty else { return nil }
        let word = rest.prefix { !isBlank($0) }
        rest = rest[word.endIndex...]
        return word
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
