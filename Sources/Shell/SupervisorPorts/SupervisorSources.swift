/// What the topics of workers stand at now, for the supervisor that takes the workers over.
package protocol TopicStateSource: AnyObject {
    func topicState(of worker: WorkerID) -> TopicState
}

/// The definitions of workers, of which not all have been taken on.
package protocol DefinitionSource: AnyObject {
    /// Makes the instance of a template that another worker names; nil where there is none.
    func makeInstance(_ name: String) -> WorkerID?
    /// Whether there could be a worker of this name.
    func isDefinable(_ name: String) -> Bool
}

/// An alarm by the wall clock.
package protocol WallAlarm: AnyObject {
    /// Has `schedulesDue` called at a moment in microseconds since 1970, instead of any other asked before; nil never.
    func setWallAlarm(_ moment: Int64?)
}

/// Hears of workers' own connections.
package protocol AttachmentObserver: AnyObject {
    /// A worker's connection has come or gone.
    func receiverChanged(of worker: WorkerID)
}
