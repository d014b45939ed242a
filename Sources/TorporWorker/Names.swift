// Exported, so that a worker needs no other import for what the types named here have. Varlink is not: its `Service` would stand
// beside that of swift-service-lifecycle.
@_exported public import ControlAPI
public import Varlink

/// What a worker can be told, and asked (1.3).
public typealias CallbackName = WorkerInterface.CallbackName

/// What the present process was launched for, and what came with it.
public typealias Launch = WorkerInterface.Launch

/// Something that was posted, or several of one topic merged by its rule.
public typealias Notification = WorkerInterface.Notification

/// The five states of a worker.
public typealias WorkerState = WorkerInterface.State

/// The contents of activities, transfers and notifications; import `Varlink` to look into them.
public typealias Payload = JSON
