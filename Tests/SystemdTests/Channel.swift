import Glibc
import Linux

/// Two connected stream sockets, closed on exec: what happens to one end is seen at the other.
struct Channel: ~Copyable {
    private var given: OwnedDescriptor?
    /// The number of the end that a test gives away.
    let givenNumber: Int32
    /// The end that it keeps.
    let kept: OwnedDescriptor

    init() throws(LinuxError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw LinuxError(errno: errno, call: "socketpair")
        }
        given = OwnedDescriptor(adopting: ends[0])
        givenNumber = ends[0]
        kept = OwnedDescriptor(adopting: ends[1])
    }

    /// Gives the other end away, which is done once.
    mutating func give() -> OwnedDescriptor {
        guard let given = given.take() else { preconditionFailure("given away already") }
        return given
    }

    /// Closes the other end, if the channel has it still.
    mutating func closeGiven() {
        given = nil
    }

    /// Whether every copy of the given end has been closed.
    ///
    /// Blocks until that, or until data can be read.
    func isClosedElsewhere() -> Bool {
        var byte: UInt8 = 0
        return read(kept.rawValue, &byte, 1) == 0
    }

    /// Whether some copy of the given end is still open, now.
    func isOpenElsewhere() -> Bool {
        var byte: UInt8 = 0
        return recv(kept.rawValue, &byte, 1, Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }
}
