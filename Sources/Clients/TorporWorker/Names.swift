// Exported, so that a worker needs no other import for what the types named here have. Varlink is not: its `Service` would stand
// beside that of swift-service-lifecycle. No name here is one of Foundation's.
@_exported public import ControlAPI

/// The names of the callbacks.
public typealias CallbackName = WorkerInterface.CallbackName

/// The reason for a launch.
public typealias LaunchReason = WorkerInterface.LaunchReason

/// The memory level.
public typealias MemoryLevel = WorkerInterface.MemoryLevel

/// What came of a background fetch.
public typealias FetchResult = WorkerInterface.FetchResult

/// The five states of a worker.
public typealias WorkerState = WorkerInterface.State
