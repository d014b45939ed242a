/// What an epoll instance watches, as its `/proc/PID/fdinfo/FD` tells (proc_pid_fdinfo(5)).
package struct EpollMember: Hashable, Sendable {
    /// The number under which it was added; the process may have another file there by now.
    package let descriptor: Int32
    /// The events that are waited for, with flags: `EPOLLIN`, `EPOLLET`….
    package let events: UInt32
    /// The inode of the file, in the file system of `device`.
    package let inode: UInt64
    /// The number of that file system, by which sockets, pipes and anonymous inodes are told apart.
    package let device: UInt64

    /// A member, by its parts.
    package init(descriptor: Int32, events: UInt32, inode: UInt64, device: UInt64) {
        self.descriptor = descriptor
        self.events = events
        self.inode = inode
        self.device = device
    }

    /// All members that `text` tells of, in its order; nil where a line of them cannot be read, so that nothing is missed.
    ///
    /// Lines of other fields are passed over. Kernels before 4.12 do not tell the inode: nil, too.
    package static func all(in text: String) -> [EpollMember]? {
        var members: [EpollMember] = []
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("tfd:") {
            guard let member = EpollMember(line) else { return nil }
            members.append(member)
        }
        return members
    }

    /// `tfd: 5 events: 19 data: 5  pos:0 ino:61 sdev:9`, of which `tfd` and `pos` are decimal.
    private init?(_ line: Substring) {
        var values: [Substring: Substring] = [:]
        var name: Substring?
        for word in line.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            if let key = name {
                values[key] = word
                name = nil
            } else if let colon = word.firstIndex(of: ":") {
                let value = word[word.index(after: colon)...]
                if value.isEmpty { name = word[..<colon] } else { values[word[..<colon]] = value }
            }
        }
        guard let descriptor = values["tfd"].flatMap({ Int32($0) }), descriptor >= 0,
            let events = values["events"].flatMap({ UInt32($0, radix: 16) }),
            let inode = values["ino"].flatMap({ UInt64($0, radix: 16) }),
            let device = values["sdev"].flatMap({ UInt64($0, radix: 16) })
        else { return nil }
        self.init(descriptor: descriptor, events: events, inode: inode, device: device)
    }
}
