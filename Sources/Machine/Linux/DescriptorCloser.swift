internal import CLinux
internal import Glibc

/// Closes descriptors that others have sent, on threads of its own: close(2) may wait for what a descriptor means.
///
/// A TCP socket with unsent data lingers for as long as its sender has set, and a file may ask its file system first. Linger is switched
/// off before; a sender that sets it again in that moment holds a thread, of which there are few.
package enum DescriptorCloser {
    private static let threads = LaunchThreads()

    /// How many descriptors may wait until receivers are to receive no more.
    package static let mostPending = 1024
    /// What is known to wait for nothing is closed at once: up to so many are looked at for that.
    private static let mostLookedAt = 4

    /// Closes `descriptors`, which are the caller's no more.
    package static func close(_ descriptors: [Int32]) {
        guard !descriptors.isEmpty else { return }
        if descriptors.count <= mostLookedAt {
            let others = descriptors.filter { !closeHarmless($0) }
            if !others.isEmpty { closeElsewhere(others) }
        } else {
            closeElsewhere(descriptors)
        }
    }

    /// Whether so many wait to be closed that no more should be received.
    package static var isBehind: Bool { threads.count > mostPending / DatagramSocket.descriptorLimit }

    private static func closeElsewhere(_ descriptors: [Int32]) {
        let isBehind = threads.leave {
            for descriptor in descriptors {
                var off = linger(l_onoff: 0, l_linger: 0)
                // Ignoring a failure: it is no socket.
                unsafe setsockopt(
                    descriptor, SOL_SOCKET, SO_LINGER, &off, socklen_t(MemoryLayout<linger>.size))
                Glibc.close(descriptor)
            }
        }
        // Those that hang are found at the next call: until then the others wait, which does no harm.
        if isBehind { _ = threads.relieve() }
    }

    /// Closes a pipe without a name, whose close waits for nothing; false for anything else.
    private static func closeHarmless(_ descriptor: Int32) -> Bool {
        guard torpor_is_pipe(descriptor) == 1 else { return false }
        Glibc.close(descriptor)
        return true
    }
}
