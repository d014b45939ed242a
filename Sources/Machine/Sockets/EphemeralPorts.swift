internal import Linux

/// The ports that the kernel gives to sockets that ask for none (`ip_local_port_range`, ip(7)).
package enum EphemeralPorts {
    /// The first of them.
    package static var first: UInt16 {
        let text = try? KernelFile.text("/proc/sys/net/ipv4/ip_local_port_range")
        return text?.split(separator: "\t").first.flatMap { UInt16($0) } ?? 32768
    }
}
