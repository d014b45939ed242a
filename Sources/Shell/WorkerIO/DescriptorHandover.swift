package import SnapshotCoding
internal import SupervisorPorts

/// A descriptor that is open for a worker, on its way from one supervisor to the next in the same process.
package struct DescriptorHandover: Hashable, Sendable {
    /// The worker's name.
    package var worker: String
    package var descriptor: Int32
    /// Its place among those that are held for the worker; nil of one that the worker has stored.
    package var slot: UInt32?
    /// The name under which the worker has stored it.
    package var name: String
    /// Whether it is dropped when its other end hangs up.
    package var isPolled: Bool
    /// The name under which the service manager keeps it.
    package var keptAs: String

    /// A descriptor, by its parts.
    package init(
        worker: String, descriptor: Int32, slot: UInt32? = nil, name: String = "", isPolled: Bool = false,
        keptAs: String
    ) {
        self.worker = worker
        self.descriptor = descriptor
        self.slot = slot
        self.name = name
        self.isPolled = isPolled
        self.keptAs = keptAs
    }
}

extension DescriptorHandover: SnapshotObject {
    /// Its fields.
    package init<C: SnapshotCoder & ~Copyable>(
        _ c: inout C, _ value: DescriptorHandover?
    ) throws(C.Failure) {
        worker = try c.required("worker", 1, value?.worker)
        descriptor = try c.descriptor("descriptor", 2, value?.descriptor)
        slot = try c.optional("slot", 3, value?.slot)
        name = try c.value("name", 4, value?.name, or: "")
        isPolled = try c.flag("isPolled", 5, value?.isPolled)
        keptAs = try c.value("keptAs", 6, value?.keptAs, or: "")
    }
}
