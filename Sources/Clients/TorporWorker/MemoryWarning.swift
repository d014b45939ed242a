public import ControlAPI

/// How short memory is, and how much more the worker may take.
public struct MemoryWarning: Hashable, Sendable {
    /// How short it is; `normal` comes when it is over, to those that were told before.
    public let level: MemoryLevel
    /// How many bytes the worker may still take, as os_proc_available_memory() tells of an app; nil where that is not known.
    ///
    /// What the machine, or the container, has above what is critical; where the worker has a limit of its own (`MemoryMax=`) that
    /// leaves it less, that.
    public let available: Int64?

    /// A warning, by its parts.
    public init(level: MemoryLevel, available: Int64? = nil) {
        self.level = level
        self.available = available
    }

    /// A warning as the supervisor tells of it; one that does not tell its level has one.
    init(_ message: WorkerInterface.Callback) {
        self.init(level: message.memoryLevel ?? .warning, available: message.memoryAvailableBytes)
    }
}
