internal import CLinux
internal import Glibc

/// What one thread wakes another with that waits for descriptors (eventfd(2)).
package struct Wakeup: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// One that has not been signalled.
    package init() throws(LinuxError) {
        let result = torpor_eventfd()
        guard result >= 0 else { throw LinuxError(errno: -result, call: "eventfd") }
        descriptor = OwnedDescriptor(adopting: result)
    }

    /// The number, borrowed: readable once there was a signal.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Wakes the thread that waits now, or that waits next.
    package borrowing func signal() {
        var one: UInt64 = 1
        // Ignoring the result: it fails only where so many signals wait already that the counter is full.
        _ = unsafe write(descriptor.rawValue, &one, MemoryLayout<UInt64>.size)
    }

    /// Forgets the signals so far.
    package borrowing func clear() {
        var count: UInt64 = 0
        // Ignoring the result: it fails where there was none.
        _ = unsafe read(descriptor.rawValue, &count, MemoryLayout<UInt64>.size)
    }
}
