internal import Glibc
package import Idleness
package import Launching
package import Linux
package import SupervisorPorts

/// What is open for a worker beyond its processes, and passed to each of them (sd_listen_fds(3)).
package protocol LaunchDescriptors: AnyObject {
    /// What the process of a launch gets that begins now: first sockets that are held for it, then what it has stored.
    ///
    /// - Throws: why a socket that it is to get cannot be opened.
    func passed(to worker: WorkerID) throws(LaunchError) -> PassedDescriptors
    /// The sockets that are held for a worker, in their order.
    func status(of worker: WorkerID) -> [HeldSocketStatus]
    /// The inodes of those.
    func inodes(of worker: WorkerID) -> Set<UInt64>
}

/// Duplicates for one launch: they stay open until it is over, whatever becomes of the originals meanwhile.
package final class PassedDescriptors: Sendable {
    /// Their numbers and names, in order.
    package let all: [LaunchRequest.PassedDescriptor]

    /// Duplicates of these.
    package init(_ originals: [LaunchRequest.PassedDescriptor]) throws(LinuxError) {
        var made: [LaunchRequest.PassedDescriptor] = []
        for original in originals {
            do throws(LinuxError) {
                let copy = try OwnedDescriptor.copy(of: original.source)
                made.append(LaunchRequest.PassedDescriptor(copy.release(), name: original.name))
            } catch {
                for one in made { close(one.source) }
                throw error
            }
        }
        all = made
    }

    deinit {
        for one in all { close(one.source) }
    }
}
