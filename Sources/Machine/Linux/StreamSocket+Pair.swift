internal import CLinux
internal import Glibc

extension StreamSocket {
    /// One end of a new pair of connected sockets (socketpair(2)); `hand` gets the other, which blocks, to give it to a child.
    ///
    /// The other end is closed here when `hand` has returned: what holds it on is the child alone.
    package static func pair<Failure: Error>(
        handing hand: (_ other: Int32) throws(Failure) -> Void, failing: (LinuxError) -> Failure
    ) throws(Failure) -> StreamSocket {
        var ends: [Int32] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw failing(.last("socketpair")) }
        let ours = OwnedDescriptor(adopting: ends[0])
        let theirs = OwnedDescriptor(adopting: ends[1])
        do throws(LinuxError) { try setNonBlocking(ours) } catch { throw failing(error) }
        try hand(theirs.rawValue)
        return StreamSocket(adopting: ours)
    }
}
