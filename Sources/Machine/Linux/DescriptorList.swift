/// File descriptors that others have sent, with one owner, in order: those that are not taken out are closed when the value ends.
///
/// Closing them may wait for what they mean: see ``DescriptorCloser``.
package struct DescriptorList: ~Copyable, Sendable {
    private var descriptors: ArraySlice<Int32>

    /// No descriptors.
    package init() {
        descriptors = []
    }

    /// Takes over open descriptors that no other code closes.
    package init(adopting descriptors: [Int32]) {
        self.descriptors = descriptors[...]
    }

    deinit {
        if !descriptors.isEmpty { DescriptorCloser.close(Array(descriptors)) }
    }

    package var count: Int { descriptors.count }

    package var isEmpty: Bool { descriptors.isEmpty }

    /// The descriptors' numbers, borrowed: valid for as long as the list owns them.
    package var rawValues: [Int32] { Array(descriptors) }

    /// Takes the first one out; nil when there is none left.
    package mutating func popFirst() -> OwnedDescriptor? {
        guard let first = descriptors.popFirst() else { return nil }
        return OwnedDescriptor(adopting: first)
    }

    /// Adds one at the end.
    package mutating func append(_ descriptor: consuming OwnedDescriptor) {
        descriptors.append(descriptor.release())
    }

    /// Closes all.
    package mutating func removeAll() {
        self = DescriptorList()
    }
}
