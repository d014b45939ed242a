// Exported, so that a worker needs no other import for what the types named here have. Varlink is not: its `Service` would stand
// beside that of swift-service-lifecycle. No name here is one of Foundation's.
@_exported public import ControlAPI

/// What a worker can be told, and asked (1.3).
public typealias CallbackName = WorkerInterface.CallbackName

/// Why a process was launched.
public typealias LaunchReason = WorkerInterface.LaunchReason

/// How short memory is.
public typealias MemoryLevel = WorkerInterface.MemoryLevel

/// The five states of a worker.
public typealias WorkerState = WorkerInterface.State
