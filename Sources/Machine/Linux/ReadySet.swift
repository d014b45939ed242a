internal import CLinux

/// Many descriptors behind one that has input while any of them has (epoll(7)).
///
/// A loop that asks the kernel anew after each handler gets all that are ready each time: with thousands of them in the loop
/// itself the work grows with their square. Those in here are told in portions, each in its turn.
package struct ReadySet: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// A set of none.
    package init() throws(LinuxError) {
        descriptor = OwnedDescriptor(adopting: try check(torpor_epoll_create(), "epoll_create1"))
    }

    /// The set's own descriptor, borrowed: to wait for.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Adds `descriptor`, told by `number`; it leaves the set when it is closed.
    package func add(_ descriptor: Int32, as number: UInt32) throws(LinuxError) {
        try check(
            torpor_epoll_add(self.descriptor.rawValue, descriptor, UInt64(number)), "epoll_ctl",
            "descriptor \(descriptor)")
    }

    /// The same, told once for each thing that comes (EPOLLET): what is left there is not told again.
    package func addEdge(_ descriptor: Int32, as number: UInt32) throws(LinuxError) {
        try check(
            torpor_epoll_add_edge(self.descriptor.rawValue, descriptor, UInt64(number)), "epoll_ctl",
            "descriptor \(descriptor)")
    }

    /// Takes `descriptor` out of the set; one that is not in it is no failure.
    package func remove(_ descriptor: Int32) {
        _ = torpor_epoll_remove(self.descriptor.rawValue, descriptor)
    }

    /// The numbers of some that have input, those first that have waited longest; without waiting.
    package func ready() -> [UInt32] {
        let numbers = unsafe [UInt64](unsafeUninitializedCapacity: 64) { buffer, count in
            count = unsafe max(0, Int(torpor_epoll_ready(descriptor.rawValue, buffer.baseAddress, 64)))
        }
        return numbers.map { UInt32(truncatingIfNeeded: $0) }
    }
}
