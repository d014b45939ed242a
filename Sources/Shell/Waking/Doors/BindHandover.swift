package import SnapshotCoding
package import Sockets
internal import SupervisorPorts

/// What bind(2) of a worker's processes is answered by, on its way from one supervisor to the next in the same process.
package struct BindHandover: Hashable, Sendable {
    package var descriptor: Int32
    /// The number of the first process of the launch.
    package var number: Int32
    /// The call that was received and not answered.
    package var underway: BindCall?

    /// One, by its parts.
    package init(_ descriptor: Int32, number: Int32, underway: BindCall?) {
        (self.descriptor, self.number, self.underway) = (descriptor, number, underway)
    }
}

extension BindHandover: SnapshotObject {
    /// Its fields.
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: BindHandover?) throws(C.Failure) {
        descriptor = try c.descriptor("descriptor", 1, value?.descriptor)
        number = try c.descriptor("number", 2, value?.number)
        let call = value?.underway
        // Any 64 bits, which are no number in a text.
        let high = try c.optional("idHigh", 3, call.map { UInt32(truncatingIfNeeded: $0.id >> 32) })
        let low = try c.optional("idLow", 4, call.map { UInt32(truncatingIfNeeded: $0.id) })
        let thread = try c.optional("thread", 5, call?.thread)
        let socket = try c.optional("socket", 6, call?.descriptor)
        let address = try c.optional("address", 7, call?.address)
        let length = try c.optional("length", 8, call?.length)
        guard let high, let low, let thread, let socket, let address, let length else { return }
        underway = BindCall(
            id: UInt64(high) << 32 | UInt64(low), thread: thread, descriptor: socket, address: address,
            length: length)
    }
}
