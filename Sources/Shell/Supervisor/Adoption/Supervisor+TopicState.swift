internal import Lifecycle
package import Notifications
package import SupervisorPorts

/// What the topics of workers stood at, for the supervisor that takes the workers over (2.4).
extension Supervisor {
    /// Records what the topics of a worker stand at now, where it has heard of all that has happened.
    ///
    /// A worker that sleeps, or has not taken what it was handed, keeps what was recorded before: what happens meanwhile is in its queue,
    /// which dies with the supervisor, and the next supervisor finds it by comparing. What was not known yet is added; a path that is
    /// `unseen`, since it changed before it was looked at, is to be found changed.
    package func refreshTopicState(of id: WorkerID, unseen: String? = nil) {
        guard let worker = workers[id] else { return }
        guard worker.life.state == .suspended || unseen != nil else { return compareTopicState(of: worker) }
        guard worker.life.pid != nil, worker.comparison == nil else { return }
        var topicState = worker.topicState
        if let unseen { topicState.files[unseen] = topicState.files[unseen] ?? .unseen }
        topicState.complete(from: presentTopicState(of: id))
        set(topicState, of: worker)
    }

    /// The same for a worker that has just been suspended, too.
    func compareTopicState(of worker: Worker) {
        guard worker.life.pid != nil, worker.comparison == nil,
            !(worker.inbox?.queue.holdsSystemTopics ?? false)
        else { return }
        set(presentTopicState(of: worker.id), of: worker)
    }

    func presentTopicState(of id: WorkerID) -> TopicState { topicStates?.topicState(of: id) ?? TopicState() }

    private func set(_ topicState: TopicState, of worker: Worker) {
        guard topicState != worker.topicState else { return }
        worker.topicState = topicState
        worker.isUnrecorded = true
        // Else with all else that has happened to it.
        if !isDraining { record(worker) }
    }

    /// What is to be compared for a worker that was taken over; nil for nothing.
    package func comparison(for id: WorkerID) -> TopicState? { workers[id]?.comparison }

    /// All that happened while no supervisor looked is known and queued.
    package func comparisonEnded(for id: WorkerID) {
        guard let worker = workers[id] else { return }
        worker.comparison = nil
        refreshTopicState(of: id)
    }

    /// Takes note of what a worker knew of a system topic in the life of a predecessor; what came along from there is newer.
    package func inherit(_ value: [UInt8], of topic: SystemTopic, _ id: WorkerID) {
        guard let worker = workers[id], wants(Topic(topic), worker) else { return }
        let box = openInbox(of: worker)
        if box.queue.knownValues[Topic(topic)] == nil { box.queue.learn(value, of: Topic(topic)) }
    }
}
