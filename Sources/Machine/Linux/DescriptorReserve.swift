internal import Glibc

/// A few descriptors that are given up when no others are left, for what must succeed all the same: a kill, a freeze, a thaw.
///
/// Another thread may take one of those that were just given up; the call fails then, as it would have without them.
package final class DescriptorReserve {
    /// Enough for a list of directory entries, a file of one of them, and one more.
    private static let size = 3
    private var spares: [Int32] = []

    /// Holds them, as far as there are so many.
    package init() { refill() }

    deinit { for spare in spares { close(spare) } }

    /// The result of `body`, which is called a second time, with the reserve at hand, where it found the table of descriptors full.
    package func retrying<Value: ~Copyable>(_ body: () throws(LinuxError) -> Value) throws(LinuxError)
        -> Value
    {
        do throws(LinuxError) { return try body() } catch {
            guard error.isOfFullTable else { throw error }
            return try lending(body)
        }
    }

    /// The result of `body`, with the reserve at hand where no other descriptor is free: for what does not say why it found nothing.
    package func lending<Value: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Value)
        throws(Failure) -> Value
    {
        // What the last loan has left open may be closed by now.
        refill()
        for spare in spares { close(spare) }
        spares = []
        defer { refill() }
        return try body()
    }

    private func refill() {
        while spares.count < Self.size {
            let spare = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard spare >= 0 else { return }
            spares.append(spare)
        }
    }
}
