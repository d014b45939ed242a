public import ControlAPI

/// The memory level, and how much more the worker may allocate.
public struct MemoryWarning: Hashable, Sendable {
    /// The level; `normal` is sent when the shortage is over, to workers that were warned.
    public let level: MemoryLevel
    /// How many bytes the worker may still allocate, like os_proc_available_memory() of an app; nil if unknown.
    ///
    /// The memory that the system, or the container, has left above the critical level, or what the worker's own limit
    /// (`MemoryMax=`) leaves, if that is less.
    public let available: Int64?

    /// Creates a warning from its parts.
    public init(level: MemoryLevel, available: Int64? = nil) {
        self.level = level
        self.available = available
    }

    /// Decodes a warning sent by the supervisor; without a level it is a warning.
    init(_ message: WorkerInterface.Callback) {
        self.init(level: message.memoryLevel ?? .warning, available: message.memoryAvailableBytes)
    }
}
