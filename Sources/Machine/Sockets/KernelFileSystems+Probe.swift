internal import CLinux
internal import Glibc
package import Idleness
package import Linux

extension KernelFileSystems {
    /// Those of this machine, found by descriptors that are made for it and closed again; they stay the same until it is booted anew.
    package static func probe() throws(LinuxError) -> KernelFileSystems {
        let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = OwnedDescriptor(adopting: try check(Glibc.socket(AF_UNIX, stream, 0), "socket"))
        var ends: [Int32] = [-1, -1]
        try check(unsafe pipe(&ends), "pipe")
        let output = OwnedDescriptor(inheriting: ends[0])
        let input = OwnedDescriptor(inheriting: ends[1])
        let epoll = OwnedDescriptor(adopting: try check(torpor_epoll_create(), "epoll_create1"))
        let process = try Pidfd(pid: ThisProcess.pid)
        let systems = KernelFileSystems(
            sockets: try number(of: socket.rawValue), pipes: try number(of: output.rawValue),
            anonymous: try number(of: epoll.rawValue), pidfds: try number(of: process.descriptor))
        _ = consume input
        return systems
    }

    /// The number of the file system of an open descriptor.
    static func number(of descriptor: Int32) throws(LinuxError) -> UInt64 {
        var device: UInt64 = 0
        try check(unsafe torpor_kernel_device(descriptor, &device), "statx", "descriptor \(descriptor)")
        return device
    }
}
