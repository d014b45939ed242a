internal import Glibc
internal import Lifecycle
internal import Linux
internal import Notifications
package import SupervisorPorts
internal import Varlink

/// What has changed on the machine while no supervisor looked, or while one looked that was killed since (2.4).
extension SystemSources {
    /// What the topics of a worker stand at now, as far as that is known.
    package func standing(of worker: WorkerID) -> TopicStanding {
        var standing = TopicStanding()
        guard let wants = wants[worker] else { return standing }
        for path in wants.files(localesAt: places.locales) {
            if let found = files?.present(of: path) { standing.files[path] = found }
        }
        if wants.topics.contains(.networkChanged) { standing.network = network?.payload }
        if wants.hearsOfData {
            standing.isDataAvailable = isDataAvailable(to: wants)
            standing.isLocked = isLocked
        }
        if hearsDevices, wants.wakesForDevices || wants.topics.contains(.devicesChanged) {
            standing.devices = devices(of: wants)
        }
        if wants.hearsOfTime { standing.time = timeNow }
        return standing
    }

    /// Tells a worker what has changed since `standing`, each as soon as it is known; `compared` when all of it is.
    package func compare(_ standing: TopicStanding, for worker: WorkerID) {
        guard let wants = wants[worker] else { return finish(worker) }
        var rest = standing
        if standing.isLocked { takeOverLock() }
        rest.isLocked = false
        let files = Set(wants.files(localesAt: places.locales))
        rest.files = rest.files.filter { files.contains($0.key) }
        if !wants.topics.contains(.networkChanged) { rest.network = nil }
        if !wants.hearsOfData { rest.isDataAvailable = nil }
        compareDevices(&rest, worker, wants)
        compareTime(&rest, worker, wants)
        comparisons[worker] = rest
        for path in rest.files.keys.sorted() where self.files?.present(of: path) != nil { compareFile(path) }
        compareNetwork()
        compareData()
        finishIfCompared(worker)
    }

    /// Nothing is compared for a worker any more: its process has ended.
    package func stopComparing(_ worker: WorkerID) { comparisons[worker] = nil }

    private func finish(_ worker: WorkerID) {
        comparisons[worker] = nil
        compared(worker)
    }

    private func finishIfCompared(_ worker: WorkerID) {
        if comparisons[worker]?.isEmpty ?? false { finish(worker) }
    }

    // MARK: files

    /// A path has been looked at: what was known of it is told against that, and those that have heard of it begin there.
    func compareFile(_ path: String) {
        guard let now = files?.present(of: path) else { return }
        for worker in comparisons.keys.sorted() {
            guard let before = comparisons[worker]?.files.removeValue(forKey: path) else { continue }
            if before != now, let wants = wants[worker] {
                tell(worker, wants, of: PathWatcher.Change(path: path, before: before, now: now))
            }
            finishIfCompared(worker)
        }
    }

    // MARK: network and protected data

    /// The network is known: it is told against what was known before.
    func compareNetwork() {
        guard let now = network?.payload else { return }
        for worker in comparisons.keys.sorted() {
            guard let before = comparisons[worker]?.network else { continue }
            comparisons[worker]?.network = nil
            inherit(before, .networkChanged, worker)
            if before != now { tell(worker, .networkChanged, payload: now) }
            finishIfCompared(worker)
        }
    }

    /// Protected paths have been looked at: whether the data is there is told against what was known before.
    func compareData() {
        for worker in comparisons.keys.sorted() {
            guard let before = comparisons[worker]?.isDataAvailable, let wants = wants[worker],
                let now = isDataAvailable(to: wants)
            else { continue }
            comparisons[worker]?.isDataAvailable = nil
            if wants.topics.contains(.protectedDataChanged) {
                inherit(dataPayload(before), .protectedDataChanged, worker)
            }
            if before != now {
                tellOfData(worker, wants, now)
            } else {
                // What waited when the predecessor ended may have been undone since.
                let undone: Callback =
                    now ? .protectedDataWillBecomeUnavailable : .protectedDataDidBecomeAvailable
                if awaits(worker, undone) {
                    announce(
                        worker,
                        .announced(
                            now ? .protectedDataDidBecomeAvailable : .protectedDataWillBecomeUnavailable))
                }
            }
            finishIfCompared(worker)
        }
    }

    private func isDataAvailable(to wants: SystemWants) -> Bool? {
        if wants.protectedPaths.isEmpty { return hearsMachine ? !isLocked : nil }
        guard let there = hasProtected(wants.protectedPaths) else { return nil }
        return !isLocked && there
    }

    // MARK: devices and time

    private func devices(of wants: SystemWants) -> Set<String> {
        DeviceNodes.present(under: places.devices).filter { wants.concerns(device: $0) }
    }

    private func compareDevices(_ rest: inout TopicStanding, _ worker: WorkerID, _ wants: SystemWants) {
        guard let before = rest.devices else { return }
        rest.devices = nil
        // What cannot be heard of any more is not told as gone.
        guard hearsDevices else { return }
        let now = devices(of: wants)
        let (came, went) = (now.subtracting(before).sorted(), before.subtracting(now).sorted())
        if wants.topics.contains(.devicesChanged), !came.isEmpty || !went.isEmpty {
            tell(worker, .devicesChanged, added: came, removed: went)
        }
        if wants.wakesForDevices, let first = came.first { wake(worker, .device, first) }
    }

    private func compareTime(_ rest: inout TopicStanding, _ worker: WorkerID, _ wants: SystemWants) {
        guard let before = rest.time else { return }
        rest.time = nil
        guard wants.hearsOfTime, let reason = before.reason(until: timeNow) else { return }
        if wants.topics.contains(.significantTimeChange) {
            tell(
                worker, .significantTimeChange, payload: Payload.object([("reason", .string(reason))]))
        }
        if wants.announcements.contains(.significantTimeChange) {
            announce(worker, .announced(.significantTimeChange))
        }
    }

    private var timeNow: TopicStanding.Time {
        var uptime = timespec()
        clock_gettime(CLOCK_BOOTTIME, &uptime)
        let wall = clock()
        let sinceBoot = Int64(uptime.tv_sec) * 1_000_000 + Int64(uptime.tv_nsec) / 1000
        let seconds = wall / 1_000_000
        let offset = zoneOffset(seconds)
        let local = seconds.addingReportingOverflow(offset).partialValue
        return TopicStanding.Time(
            lead: wall.subtractingReportingOverflow(sinceBoot).partialValue, offset: offset,
            day: local >= 0 ? local / 86400 : (local - 86399) / 86400)
    }
}

extension SystemWants {
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
