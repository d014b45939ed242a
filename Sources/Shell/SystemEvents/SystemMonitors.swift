internal import Glibc
internal import Interrupting
internal import Lifecycle
internal import Linux
package import Notifications
internal import Scheduling
package import SupervisorPorts
package import Systemd
internal import Varlink

/// The machine, as far as workers want to hear of it (2.1): what changes there becomes a post or an event for each of those
/// that subscribe to it.
///
/// A source without subscriptions is not open, and an open one causes no wake-up while nothing happens.
package final class SystemMonitors {
    let loop: EventLoop
    let places: SystemPlaces
    /// Where posts and events go.
    package var receiver: (any SystemEventReceiver)?
    /// Is called with a sentence about what cannot be watched.
    package var report: (String) -> Void = { _ in }
    /// The time of day: microseconds since 1970.
    package var clock: () -> Int64
    /// How far local time is ahead of UTC at a moment, in seconds since 1970.
    package var zoneOffset: (Int64) -> Int64 = LocalZone.offset
    /// What workers want, of those that want anything; one that only follows the machine is not among them.
    var subscriptions: [WorkerID: SystemSubscriptions] = [:]
    /// The workers that the machine's sleep and the locks of sessions concern, with the users that they run as.
    private(set) var machineFollowers: [WorkerID: String?] = [:]
    /// Many change at once: what is open is settled when all have been taken in.
    private var settlesLater = false
    /// What watches files, while a worker subscribes to that.
    package private(set) var files: PathWatcher?
    /// Called once, when every path that is watched has been looked at.
    package var whenLooked: (() -> Void)?
    private var time: TimeWatch?
    private(set) var network: NetworkWatch?
    private(set) var protected: ProtectedPathWatch?
    private var devices: DeviceMonitor?
    private var machine: MachineWatch?
    /// Is called when the machine's sleep waits for the supervisor.
    package var machineDelayed: (() -> Void)?
    /// Whether the receiver is told that the clock was set.
    package var followsClock = false {
        didSet { if followsClock != oldValue { settle() } }
    }
    /// Is called when udev tells of a supply of power; nil listens to none for that.
    package var supplyChanged: (() -> Void)? {
        didSet { if (supplyChanged == nil) != (oldValue == nil) { settle() } }
    }
    /// Whether low-power mode is on: told with what changes about power; nil where there is no such mode.
    package var isLowPower: Bool? {
        didSet {
            guard let isLowPower, isLowPower != oldValue else { return }
            // The first value is no change, but for those that slept under a predecessor.
            guard oldValue != nil else { return comparePower() }
            tell(.powerChanged, payload: Self.payload(lowPower: isLowPower))
        }
    }

    static func payload(lowPower: Bool) -> [UInt8] { Payload.object([("lowPower", .bool(lowPower))]) }

    /// Whether only power is listened to: most devices are then kept out by the kernel.
    private var hearsOnlyPower = false
    /// Which sessions are locked, as far as we have been told.
    var locks = SessionLocks()
    /// What is still to be compared for workers that were taken over.
    var comparisons: [WorkerID: TopicState] = [:]
    /// What could not be opened and has been told: it is tried again for the next subscription.
    private var failed: Set<String> = []

    /// Sources of which none is open.
    package init(on loop: EventLoop, places: SystemPlaces = SystemPlaces()) {
        self.loop = loop
        self.places = places
        clock = { KernelClock.wall }
    }

    /// Takes in what a worker wants now; nil for one that is gone.
    package func set(_ worker: WorkerID, _ subscriptions: SystemSubscriptions?) {
        let hadFollowers = !machineFollowers.isEmpty
        // Nearly every worker follows the machine, and most want nothing else.
        if let subscriptions, subscriptions.followsMachine {
            machineFollowers.updateValue(subscriptions.user, forKey: worker)
        } else {
            machineFollowers[worker] = nil
        }
        defer { tellLocks(to: worker) }
        var rest = subscriptions
        rest?.followsMachine = false
        if rest?.isEmpty ?? false { rest = nil }
        guard self.subscriptions[worker] != rest || hadFollowers == machineFollowers.isEmpty else { return }
        self.subscriptions[worker] = rest
        if subscriptions == nil { stopComparing(worker) }
        settle()
        if rest?.awaitsFirstUnlock ?? false { tellOfFirstUnlock() }
    }

    /// Whether the machine's sleep and the session's lock are heard of at present.
    var hearsMachine: Bool { machine != nil }

    /// Takes in what many workers want, by as many calls of ``set(_:_:)``, and opens and closes sources once.
    package func setMany(_ change: () -> Void) {
        settlesLater = true
        change()
        settlesLater = false
        settle()
    }

    /// Ends everything.
    package func close() {
        subscriptions = [:]
        machineFollowers = [:]
        supplyChanged = nil
        settle()
    }

    /// Opens the sources that have subscriptions, and closes those that have none any more.
    private func settle() {
        guard !settlesLater else { return }
        settleDevices()
        settleFiles()
        let hearsOfTime = followsClock || subscriptions.values.contains(where: \.hearsOfTime)
        time = keep(time, where: hearsOfTime, "the time") { try makeTime() }
        network = keep(network, where: isWanted(.networkChanged), "the network") { try makeNetwork() }
        let paths = subscriptions.values.reduce(into: Set<String>()) { $0.formUnion($1.protectedPaths) }
        protected = keep(protected, where: !paths.isEmpty, "protected data") { try makeProtected() }
        protected?.watch(paths)
        // Without a bus the machine's sleep is not watched: that is no error (`torpor doctor` says it).
        let hasBus = places.bus != nil || LoginMonitor.isServed
        machine = keep(machine, where: hasBus && !machineFollowers.isEmpty, "system sleep") {
            locks.listen(own: places.session ?? LoginMonitor.ownSession, uid: getuid())
            return try MachineWatch(on: loop, places, for: self)
        }
        if machine == nil, !machineFollowers.isEmpty {
            // What a predecessor knew cannot be heard of any more.
            locks = SessionLocks()
            for worker in followers { tellLocks(to: worker) }
        }
    }

    /// The workers that the machine's sleep and end concern, in order.
    var followers: [WorkerID] { machineFollowers.keys.sorted() }

    /// In which state a worker is.
    func state(of worker: WorkerID) -> State { receiver?.currentState(of: worker) ?? .notRunning }

    /// A worker has changed its state.
    package func workerChanged() { machine?.look() }

    /// Whether the time is heard of at present.
    package var hearsTime: Bool { time != nil }

    /// Whether devices or power are heard of at present.
    package var hearsDevices: Bool { devices != nil }

    private var wantsDevices: Bool {
        subscriptions.values.contains {
            $0.wakesForDevices || !$0.topics.isDisjoint(with: [.devicesChanged, .powerChanged])
        }
    }

    /// Whether a worker subscribes to devices, and udev may begin to run.
    private var awaitsUdev: Bool { wantsDevices && !hearsDevices && access(places.udev, F_OK) != 0 }

    private func settleDevices() {
        let onlyPower = !subscriptions.values.contains {
            $0.wakesForDevices || $0.topics.contains(.devicesChanged)
        }
        if onlyPower != hearsOnlyPower { devices = nil }
        hearsOnlyPower = onlyPower
        // A monitor that is opened where no udev runs never hears anything: it is opened when one does.
        if awaitsUdev {
            if failed.insert("udev").inserted {
                report("cannot watch devices: udev is not running; waiting for it to start")
            }
            return
        }
        failed.remove("udev")
        // For low-power mode alone no udev is waited for: supplies are looked at from time to time as well.
        let wantsSupplies = supplyChanged != nil && access(places.udev, F_OK) == 0
        devices = keep(devices, where: wantsDevices || wantsSupplies, "devices") {
            try DeviceMonitor(on: loop, subsystems: onlyPower ? ["power_supply"] : []) {
                [unowned self] in take($0)
            }
        }
    }

    private func isWanted(_ topic: SystemTopic) -> Bool {
        subscriptions.values.contains { $0.topics.contains(topic) }
    }

    /// A source as it shall be: there as long as it is wanted.
    private func keep<Source>(
        _ source: Source?, where isWanted: Bool, _ subject: String, make: () throws -> Source
    ) -> Source? {
        guard isWanted else {
            failed.remove(subject)
            return nil
        }
        if let source { return source }
        do {
            return try make()
        } catch {
            if failed.insert(subject).inserted { report("cannot watch \(subject): \(error)") }
            return nil
        }
    }

    /// What is known now of a topic whose rule is `net`: what a worker knows whose process begins; nil where nothing is.
    package func present(of topic: SystemTopic, for worker: WorkerID) -> [UInt8]? {
        switch topic {
        case .networkChanged: return network?.payload
        case .protectedDataChanged:
            return subscriptions[worker].flatMap { isDataAvailable(to: $0) }.map { dataPayload($0) }
        default: return nil
        }
    }

    func dataPayload(_ isAvailable: Bool) -> [UInt8] {
        Payload.object([("available", .bool(isAvailable))])
    }

    private func makeProtected() throws -> ProtectedPathWatch {
        try ProtectedPathWatch(
            on: loop, places, report: { [unowned self] in report($0) },
            changed: { [unowned self] in dataChanged($0) },
            known: { [unowned self] in
                compareData()
                tellOfFirstUnlock()
            })
    }

    /// For each whose data it is.
    private func dataChanged(_ paths: Set<String>) {
        for (worker, subscriptions) in inOrder where !subscriptions.protectedPaths.isDisjoint(with: paths) {
            guard let protected else { return }
            let isAvailable = ProtectedDataRule.pathsTurned(
                wereThere: protected.hadAll(subscriptions.protectedPaths, before: paths),
                areThere: protected.hasAll(subscriptions.protectedPaths),
                isLocked: isLocked(subscriptions))
            if let isAvailable { tellOfData(worker, subscriptions, isAvailable) }
        }
        tellOfFirstUnlock()
    }

    private func makeTime() throws -> TimeWatch {
        try TimeWatch(on: loop, offset: { [unowned self] in zoneOffset($0) }) { [unowned self] in
            timeTurned($0)
        }
    }

    private func makeNetwork() throws -> NetworkWatch {
        try NetworkWatch(on: loop, quietMicroseconds: places.quiet) { [unowned self] in
            tell(.networkChanged, payload: $0)
        } began: { [unowned self] in
            compareNetwork()
        }
    }

    /// Local time has not simply gone on: for a post and for the callback, each for its subscribers; `clock` is that the
    /// clock was set.
    package func timeTurned(_ reason: String) {
        tell(.significantTimeChange, payload: Payload.object([("reason", .string(reason))]))
        announce(.significantTimeChange)
        if reason == TopicState.Time.clockSet { receiver?.clockWasSet() }
    }

    private func settleFiles() {
        var paths: Set<String> = []
        for subscriptions in subscriptions.values {
            paths.formUnion(subscriptions.settings)
            paths.formUnion(subscriptions.accounts)
            paths.formUnion(subscriptions.paths)
            paths.formUnion(subscriptions.wakingPaths)
            if subscriptions.hearsOfTime { paths.insert(places.zone) }
            if subscriptions.topics.contains(.localeChanged) { paths.formUnion(places.locales) }
        }
        if awaitsUdev { paths.insert(places.udev) }
        if paths.isEmpty {
            files = nil
            return
        }
        let files = files ?? makeFiles()
        self.files = files
        files.watch(paths)
    }

    /// Whether a path that is watched has not been looked at yet, so that a change of it may still be missed.
    package var isLooking: Bool { files?.isLooking ?? false }

    private func makeFiles() -> PathWatcher {
        let files = PathWatcher(
            on: loop, quietMicroseconds: places.quiet, report: { [unowned self] in report($0) },
            changed: { [unowned self] in fileChanged($0) })
        files.changedBeforeLook = { [unowned self] in tellOfChangeBeforeLook($0) }
        files.attributesChanged = { [unowned self] in pathTouched($0) }
        files.looked = { [unowned self] path in
            compareFile(path)
            for (worker, subscriptions) in inOrder where subscriptions.concerns(path) {
                receiver?.pathWasLookedAt(for: worker)
            }
            if !isLooking, let body = whenLooked {
                whenLooked = nil
                body()
            }
        }
        return files
    }

    /// The attributes or times of what a path leads to have changed, and its content has not: that is for those that watch the
    /// path, and not for those that read a file of settings.
    private func pathTouched(_ path: String) {
        for (worker, subscriptions) in inOrder {
            if subscriptions.paths.contains(path) { tell(worker, .pathsChanged, replaced: [path]) }
            if subscriptions.wakingPaths.contains(path) { receiver?.wake(worker, for: .path, path) }
        }
    }

    private func fileChanged(_ change: PathWatcher.Change) {
        let payload = Payload.object([("path", .string(change.path))])
        if change.path == places.zone {
            LocalZone.reload()
            time?.zoneChanged()
            timeTurned("zone")
        }
        if places.locales.contains(change.path) { tell(.localeChanged, payload: payload) }
        if change.path == places.udev { settle() }
        for (worker, subscriptions) in inOrder { tellOfFile(change, payload, worker, subscriptions) }
    }

    /// Tells one worker of a file that has changed since it heard of it last.
    func tell(_ worker: WorkerID, _ subscriptions: SystemSubscriptions, of change: PathWatcher.Change) {
        let payload = Payload.object([("path", .string(change.path))])
        if places.locales.contains(change.path), subscriptions.topics.contains(.localeChanged) {
            tell(worker, .localeChanged, payload: payload)
        }
        tellOfFile(change, payload, worker, subscriptions)
    }

    /// Tells one worker of a file of settings or accounts.
    func tellOfWriting(
        _ path: String, _ payload: [UInt8], _ worker: WorkerID, _ subscriptions: SystemSubscriptions
    ) {
        if subscriptions.settings.contains(path) { tell(worker, .settingsChanged, payload: payload) }
        if subscriptions.accounts.contains(path) { tell(worker, .accountChanged, payload: payload) }
    }

    private func tellOfFile(
        _ change: PathWatcher.Change, _ payload: [UInt8], _ worker: WorkerID,
        _ subscriptions: SystemSubscriptions
    ) {
        tellOfWriting(change.path, payload, worker, subscriptions)
        if subscriptions.paths.contains(change.path) { tellOfPath(worker, change) }
        // After it is told: what waits is the first that it hears when it wakes.
        if subscriptions.wakingPaths.contains(change.path) { receiver?.wake(worker, for: .path, change.path) }
    }

    /// A path has come, has gone, or leads to other content.
    private func tellOfPath(_ worker: WorkerID, _ change: PathWatcher.Change) {
        let path = [change.path]
        switch (change.before.exists, change.now.exists) {
        case (false, _): tell(worker, .pathsChanged, added: path)
        case (true, false): tell(worker, .pathsChanged, removed: path)
        case (true, true): tell(worker, .pathsChanged, replaced: path)
        }
    }

    // MARK: notifying

    /// All workers with subscriptions, always in the same order.
    var inOrder: [(key: WorkerID, value: SystemSubscriptions)] { subscriptions.sorted { $0.key < $1.key } }

    /// Posts to one worker.
    func tell(
        _ worker: WorkerID, _ topic: SystemTopic, payload: [UInt8]? = nil, added: [String] = [],
        removed: [String] = [], replaced: [String] = []
    ) {
        var news = Post(
            Topic(topic), topic.rule, payload: payload, added: added, removed: removed, at: clock(),
            survives: false)
        news.replaced = replaced
        receiver?.receive(news, for: worker)
    }

    /// Posts to each worker that subscribes to the topic.
    func tell(_ topic: SystemTopic, payload: [UInt8]?) {
        for (worker, subscriptions) in inOrder where subscriptions.topics.contains(topic) {
            tell(worker, topic, payload: payload)
        }
    }

    /// Announces to each worker that receives the callback.
    func announce(_ callback: Callback) {
        for (worker, subscriptions) in inOrder where subscriptions.announcements.contains(callback) {
            receiver?.receive(.announced(callback), for: worker)
        }
    }
}
