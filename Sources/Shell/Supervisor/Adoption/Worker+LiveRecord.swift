internal import Continuing
internal import Interrupting
package import Lifecycle
package import SupervisorPorts

extension LiveRecord {
    /// What there is of `worker`.
    package init(of worker: Worker, at now: Instant, startTime: UInt64?) {
        self.init(of: worker.configuration.name, at: now, life: worker.life)
        self.startTime = startTime
        since = worker.since
        suspendedFor = worker.suspendedFor
        lastActive = worker.lastActive
        wasUsed = worker.wasUsed
        fetchDue = worker.fetchDue
        status = worker.status
        hasStateFile = worker.hasStateFile
        lastTask = worker.lastTask
        lastInbound = worker.lastInbound
        if !worker.tasks.isEmpty {
            tasks = worker.tasks.filter { $0.value.requester == .worker }
                .map { Task(token: $0.key, since: $0.value.since, name: $0.value.name) }
        }
        launchOptions = worker.launchOptions
        topicState = worker.topicState.isEmpty ? nil : worker.topicState
        interruptions = worker.interruptions.isInterrupted ? worker.interruptions : nil
        wakeBudget = worker.wakeBudget
        fetchPace = worker.fetchPace
        processing = worker.processing
        giving = worker.giving.isEmpty ? nil : worker.giving
        wasUnlocked = worker.wasUnlocked
        programVersion = worker.programVersion
    }
}

extension Worker {
    /// Takes over what a record tells of it besides its process.
    package func take(_ record: LiveRecord) {
        life = record.life
        life.setPolicy(configuration.sharedPolicy)
        since = record.since
        suspendedFor = record.suspendedFor
        (lastActive, wasUsed) = (record.lastActive, record.wasUsed)
        fetchDue = record.fetchDue
        status = record.status
        launchOptions = record.launchOptions
        hasStateFile = record.hasStateFile
        topicState = record.topicState ?? TopicState()
        comparison = record.topicState
        (lastTask, lastInbound) = (record.lastTask, record.lastInbound)
        interruptions = record.interruptions ?? InterruptionPlan()
        (wakeBudget, fetchPace, processing) = (record.wakeBudget, record.fetchPace, record.processing)
        giving = record.giving ?? GivingPlan()
        wasUnlocked = wasUnlocked || record.wasUnlocked
        programVersion = record.programVersion
    }
}
