internal import Interrupting
internal import Lifecycle
internal import Linux
internal import Notifications
internal import Processes
internal import Scheduling
package import SupervisorPorts
internal import Varlink

/// What has changed on the machine while no supervisor looked, or while one looked that was killed since (2.4).
extension SystemMonitors {
    /// What the topics of a worker stand at now, as far as that is known.
    package func topicState(of worker: WorkerID) -> TopicState {
        var topicState = TopicState()
        guard let subscriptions = subscriptions[worker] else { return topicState }
        for path in subscriptions.files(localesAt: places.locales) {
            if let found = files?.present(of: path) { topicState.files[path] = found }
        }
        if subscriptions.topics.contains(.networkChanged) { topicState.network = network?.payload }
        if subscriptions.hearsOfData {
            topicState.isDataAvailable = isDataAvailable(to: subscriptions)
            topicState.isLocked = isLocked(subscriptions)
        }
        if hearsDevices, subscriptions.wakesForDevices || subscriptions.topics.contains(.devicesChanged) {
            topicState.devices = devices(of: subscriptions)
        }
        if subscriptions.hearsOfTime { topicState.time = timeNow }
        if subscriptions.topics.contains(.powerChanged) { topicState.isLowPower = isLowPower }
        return topicState
    }

    /// Tells a worker what has changed since `topicState`, each as soon as it is known; `compared` when all of it is.
    package func compare(_ topicState: TopicState, for worker: WorkerID) {
        guard let subscriptions = subscriptions[worker] else { return finish(worker) }
        var rest = topicState
        if topicState.isLocked, subscriptions.user == nil { locks.inheritOwn() }
        rest.isLocked = false
        let files = Set(subscriptions.files(localesAt: places.locales))
        rest.files = rest.files.filter { files.contains($0.key) }
        if !subscriptions.topics.contains(.networkChanged) { rest.network = nil }
        if !subscriptions.hearsOfData { rest.isDataAvailable = nil }
        if !subscriptions.topics.contains(.powerChanged) { rest.isLowPower = nil }
        compareDevices(&rest, worker, subscriptions)
        compareTime(&rest, worker, subscriptions)
        comparisons[worker] = rest
        for path in rest.files.keys.sorted() where self.files?.present(of: path) != nil { compareFile(path) }
        compareNetwork()
        compareData()
        comparePower()
        finishIfCompared(worker)
    }

    /// Nothing is compared for a worker any more: its process has ended.
    package func stopComparing(_ worker: WorkerID) { comparisons[worker] = nil }

    private func finish(_ worker: WorkerID) {
        comparisons[worker] = nil
        receiver?.comparisonEnded(for: worker)
    }

    private func finishIfCompared(_ worker: WorkerID) {
        if comparisons[worker]?.isEmpty ?? false { finish(worker) }
    }

    // MARK: files

    /// A path was written between the launch of a worker that reads it, or its definition, and the first look at it.
    ///
    /// Those that have heard of it before are told by what it was then.
    func tellOfChangeBeforeLook(_ path: String) {
        let payload = Payload.object([("path", .string(path))])
        for (worker, subscriptions) in inOrder
        where comparisons[worker]?.files[path] == nil && subscriptions.reads(path) {
            receiver?.pathWasUnseen(path, for: worker)
            tellOfWriting(path, payload, worker, subscriptions)
        }
    }

    /// A path has been looked at: what was known of it is told against that, and those that have heard of it begin there.
    func compareFile(_ path: String) {
        guard let now = files?.present(of: path) else { return }
        for worker in comparisons.keys.sorted() {
            guard let before = comparisons[worker]?.files.removeValue(forKey: path) else { continue }
            if before != now, let subscriptions = subscriptions[worker] {
                tell(worker, subscriptions, of: PathWatcher.Change(path: path, before: before, now: now))
            }
            finishIfCompared(worker)
        }
    }

    // MARK: power, network and protected data

    /// It is known whether low-power mode is on: that is told against what was known before.
    func comparePower() {
        guard let now = isLowPower else { return }
        for worker in comparisons.keys.sorted() {
            guard let before = comparisons[worker]?.isLowPower else { continue }
            comparisons[worker]?.isLowPower = nil
            if before != now { tell(worker, .powerChanged, payload: Self.payload(lowPower: now)) }
            finishIfCompared(worker)
        }
    }

    /// The network is known: it is told against what was known before.
    func compareNetwork() {
        guard let now = network?.payload else { return }
        for worker in comparisons.keys.sorted() {
            guard let before = comparisons[worker]?.network else { continue }
            comparisons[worker]?.network = nil
            receiver?.inherit(before, of: .networkChanged, worker)
            if before != now { tell(worker, .networkChanged, payload: now) }
            finishIfCompared(worker)
        }
    }

    /// Protected paths have been looked at: whether the data is there is told against what was known before.
    func compareData() {
        for worker in comparisons.keys.sorted() {
            guard let before = comparisons[worker]?.isDataAvailable,
                let subscriptions = subscriptions[worker],
                let now = isDataAvailable(to: subscriptions)
            else { continue }
            comparisons[worker]?.isDataAvailable = nil
            if subscriptions.topics.contains(.protectedDataChanged) {
                receiver?.inherit(dataPayload(before), of: .protectedDataChanged, worker)
            }
            // What waited when the predecessor ended may have been undone since.
            let awaitsOpposite = receiver?.awaits(.protectedData(isAvailable: !now), worker) ?? false
            switch ProtectedDataRule.compared(before: before, now: now, awaitsOpposite: awaitsOpposite) {
            case .everything: tellOfData(worker, subscriptions, now)
            case .callback: receiver?.receive(.announced(.protectedData(isAvailable: now)), for: worker)
            case .nothing: break
            }
            finishIfCompared(worker)
        }
    }

    // MARK: devices and time

    private func devices(of subscriptions: SystemSubscriptions) -> Set<String> {
        DeviceNodes.present(under: places.devices).filter { subscriptions.concerns(device: $0) }
    }

    private func compareDevices(
        _ rest: inout TopicState, _ worker: WorkerID, _ subscriptions: SystemSubscriptions
    ) {
        guard let before = rest.devices else { return }
        rest.devices = nil
        // What cannot be heard of any more is not told as gone.
        guard hearsDevices else { return }
        let now = devices(of: subscriptions)
        let (came, went) = (now.subtracting(before).sorted(), before.subtracting(now).sorted())
        if subscriptions.topics.contains(.devicesChanged), !came.isEmpty || !went.isEmpty {
            tell(worker, .devicesChanged, added: came, removed: went)
        }
        if subscriptions.wakesForDevices, let first = came.first {
            receiver?.wake(worker, for: .device, first)
        }
    }

    private func compareTime(
        _ rest: inout TopicState, _ worker: WorkerID, _ subscriptions: SystemSubscriptions
    ) {
        guard let before = rest.time else { return }
        rest.time = nil
        guard subscriptions.hearsOfTime, let reason = before.reason(until: timeNow) else { return }
        if subscriptions.topics.contains(.significantTimeChange) {
            tell(
                worker, .significantTimeChange, payload: Payload.object([("reason", .string(reason))]))
        }
        if subscriptions.announcements.contains(.significantTimeChange) {
            receiver?.receive(.announced(.significantTimeChange), for: worker)
        }
    }

    private var timeNow: TopicState.Time {
        let sinceBoot = KernelClock.boot
        let wall = clock()
        let seconds = wall / 1_000_000
        let offset = zoneOffset(seconds)
        let local = seconds.addingReportingOverflow(offset).partialValue
        return TopicState.Time(
            lead: wall.subtractingReportingOverflow(sinceBoot).partialValue, offset: offset,
            day: local >= 0 ? local / 86400 : (local - 86399) / 86400)
    }
}

extension SystemSubscriptions {
    /// All files of which a change concerns it.
    fileprivate func files(localesAt places: [String]) -> Set<String> {
        var files = settings.union(accounts).union(paths).union(wakingPaths)
        if topics.contains(.localeChanged) { files.formUnion(places) }
        return files
    }

    /// Whether it wants to know when protected data comes and goes.
    fileprivate var hearsOfData: Bool {
        topics.contains(.protectedDataChanged)
            || announcements.contains(.protectedDataDidBecomeAvailable)
            || announcements.contains(.protectedDataWillBecomeUnavailable)
    }
}
