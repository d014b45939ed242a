/// How many processes and threads a worker may have.
package struct TaskSettings: Hashable, Sendable {
    /// The most; nil is as many as there can be.
    package var maximum: UInt64?

    /// These terms.
    package init(maximum: UInt64?) {
        self.maximum = maximum
    }
}
