/// A worker with a `MemoryMax=` that only the supervisor enforces, and what it holds now.
package struct LimitedWorker: Hashable, Sendable {
    package let name: String
    /// The most that it may hold, in bytes.
    package let limit: Int64
    /// What it holds, in bytes.
    package let held: Int64
    /// Whether it runs, so that it can come to hold more.
    package let isAwake: Bool

    /// A worker by its figures.
    package init(name: String, limit: Int64, held: Int64, isAwake: Bool = true) {
        self.name = name
        self.limit = max(1, limit)
        self.held = max(0, held)
        self.isAwake = isAwake
    }
}
