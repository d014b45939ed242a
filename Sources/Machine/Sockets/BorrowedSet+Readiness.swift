internal import Glibc
package import Idleness

extension BorrowedSet {
    /// Whether the one at `place` is a socket of TCP, of which sock_diag(7) tells more.
    package borrowing func isTCP(at place: Int) -> Bool {
        guard let socket = duplicates[place].socket else { return false }
        return socket.form == .stream && (socket.family == .ipv4 || socket.family == .ipv6)
    }

    /// Whether there are bytes to be read at `place`, and not only an end (FIONREAD, ioctl(2)).
    package borrowing func hasBytes(at place: Int) -> Bool {
        var count: Int32 = 0
        return unsafe ioctl(duplicates[place].number, UInt(FIONREAD), &count) == 0 && count > 0
    }

    /// Whether it may be read from without waiting, at its end too.
    private borrowing func isReadable(at place: Int) -> Bool {
        var query = pollfd(fd: duplicates[place].number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&query, 1, 0) == 1 && query.revents & Int16(POLLIN) != 0
    }

    /// What has come at a socket that is none of TCP, in words, where that counts by `rules`; nil where nothing has, as at an end.
    package borrowing func whatCame(at place: Int, _ rules: WakeRules) -> String? {
        guard let socket = duplicates[place].socket, isReadable(at: place) else { return nil }
        if socket.isListening {
            return rules.kinds.isDisjoint(with: [.connection, .request])
                ? nil : "a connection to its Unix socket"
        }
        if socket.form == .stream {
            return rules.kinds.contains(.data) && hasBytes(at: place) ? "data on a Unix socket" : nil
        }
        guard rules.kinds.contains(.datagram) else { return nil }
        return socket.family == .unix ? "a datagram on a Unix socket" : "a datagram"
    }
}
