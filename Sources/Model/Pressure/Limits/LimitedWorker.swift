/// A worker with a `MemoryMax=` to which nobody but us sees, and what it holds now.
public struct LimitedWorker: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// The most that it may hold, in bytes.
    public let limit: Int64
    /// What it holds, in bytes.
    public let held: Int64
    /// Whether it runs, so that it can come to hold more.
    public let isAwake: Bool

    /// A worker by its figures.
    public init(name: String, limit: Int64, held: Int64, isAwake: Bool = true) {
        self.name = name
        self.limit = max(1, limit)
        self.held = max(0, held)
        self.isAwake = isAwake
    }
}
