internal import Budgeting
internal import ConfigurationSyntax
internal import ControlAPI
internal import History
internal import Idleness
internal import Interrupting
internal import Launching
internal import Lifecycle
internal import Linux
internal import Notifications
internal import Processing
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import WorkerFile

/// Why a worker is in its state, what woke it, what would change it and when, the next deadline, the requester: in one sentence
/// (`torpor why`).
struct Explanation {
    let rendering: WorkerRendering
    /// Whether it is for an operator: another caller learns neither the requester, nor what definitions and hooks say.
    let isForOperator: Bool
    /// The wall clock: microseconds since 1970.
    private let wallClock: Int64
    var life: WorkerLifecycle { rendering.view.life }
    var view: WorkerView { rendering.view }

    /// Why its last launch came to no process, where that may be told.
    private let launchFailure: LaunchError?

    init(
        _ rendering: WorkerRendering, isForOperator: Bool, launchFailure: LaunchError? = nil,
        wallClock: Int64 = KernelClock.wall
    ) {
        self.rendering = rendering
        self.isForOperator = isForOperator
        self.launchFailure = launchFailure
        self.wallClock = wallClock
    }

    var reply: SupervisorInterface.Why.Reply {
        SupervisorInterface.Why.Reply(
            sentence: sentence, state: rendering.state, goal: rendering.goal, cause: life.goalRequester.word,
            requestedBy: isForOperator ? SupervisorInterface.Caller(life.goalRequester) : nil,
            wouldChange: wouldChange, deadline: rendering.deadlines.first)
    }

    private var sentence: String {
        var text = "\(rendering.entry.name) is \(life.state): \(because)"
        for fact in facts { text += "; \(fact)" }
        for change in wouldChange { text += "; \(change)" }
        if let deadline = rendering.deadlines.first {
            let span = TimeSpan(microseconds: deadline.remainingUsec)
            text +=
                "; next deadline: \(deadline.name) in \(span.written(accuracy: .milliseconds(1))), then \(deadline.then)"
        }
        return text + "."
    }

    private func words(_ requester: Requester) -> String {
        switch requester {
        case .operator where !isForOperator: "an operator"
        case .handOver: "the hand-over of the foreground"
        case .dependency: "its dependencies"
        case .idle: "its idle time"
        case .machine: "the machine's sleep or shutdown"
        case .memoryPressure: "memory pressure"
        case .memoryLimit: "its own memory limit"
        case .wakeSource: "an event that wakes it"
        case .supervisor: "the supervisor"
        case .worker: "the worker itself"
        case .operator(let uid, let pid): "an operator (uid \(uid), pid \(pid))"
        }
    }

    /// The other worker behind its goal, in a clause; nil where there is none, or it may not be told.
    private var origin: String? {
        guard isForOperator else { return nil }
        return view.goalOrigin.map { $0.words(requester: words($0.requester)) }
    }

    /// Why it is in its state, with what it holds in its sleep.
    var account: String { heldFact.map { "\(because); \($0)" } ?? because }

    private var because: String {
        if let end = life.end {
            return (life.isRestarting ? "it is being restarted" : "it is ending")
                + (origin.map { ": \($0)" } ?? ", requested by \(words(end.requester ?? life.goalRequester))")
                + (asleep.map { ", but \($0)" } ?? "")
        }
        if let asleep { return asleep }
        if life.isHeld {
            let others = rendering.runningOthers
            guard others > 0 else { return "another program stopped it" }
            return
                "another program stopped its main process, but \(count(others, "other process", "other processes")) of it "
                + (others == 1 ? "still runs" : "still run")
        }
        if let rest = life.restReason { return because(rest) }
        if let launching = view.launching {
            let what = isForOperator ? ": \(launching.words)" : ""
            return "it has been launching for \(span(rendering.now - launching.since))\(what)"
        }
        if let obstacle { return obstacle }
        let work = life.backgroundWork
        if life.state == .background, life.goal == .suspended, work.tasks + work.activities > 0 {
            return "\(Self.words(for: work)) it awake"
        }
        if let failure = view.freezeFailure {
            return "it could not be suspended" + (isForOperator ? " (\(failure))" : "")
                + ", which will be retried"
        }
        if life.awaitsQuiet {
            return "it cannot report that it is done, and has not been quiet for long enough"
        }
        guard life.state.rawValue == life.goal.rawValue else {
            if life.isSettled, life.goal == .suspended { return "a hook kept it from being suspended" }
            let wanted = origin.map { ": \($0)" } ?? ", requested by \(words(life.goalRequester))"
            return "it is moving to \(life.goal)\(wanted)"
        }
        if let origin { return origin }
        switch life.goalRequester {
        // Without the directive: what required it sleeps, or has let it go.
        case .idle:
            return idleDelay.map { "it was idle for longer than IdleSec= (\($0))" }
                ?? "nothing keeps it awake"
        case .supervisor where life.currentLaunch?.reason == .restart:
            return "it ended and was restarted by its Restart= rule"
        case .dependency where life.currentLaunch?.reason == .failure:
            return "another worker, which names it in OnFailure=, failed"
        case .dependency: return "the state of a worker related to it by a dependency changed"
        case .handOver: return "another worker of its foreground group took the foreground"
        case .wakeSource:
            return woken ?? "\(words(life.goalRequester)) requested this state"
        case .operator, .worker, .machine, .memoryPressure, .memoryLimit, .supervisor:
            return "\(words(life.goalRequester)) requested this state"
        }
    }

    /// What keeps it asleep although it is being thawed, or is to be; nil where nothing does.
    private var asleep: String? {
        if let group = view.frozenGroup { return Self.frozen(group) }
        return view.thawFailure.map {
            "it cannot be thawed" + (isForOperator ? " (\($0))" : "") + ", which is tried again"
        }
    }

    /// What would let it run: nil where nothing keeps it asleep that is to run.
    private var awakening: [String]? {
        if let group = view.frozenGroup {
            let kill = life.isEnding ? ["\(verb("kill")) would end it at once"] : []
            return ["\(Self.thawing(group)) would thaw it"] + kill
        }
        return view.thawFailure.map { failure in
            let file = isForOperator ? failure.subject : "its cgroup.freeze"
            let remedy = failure.isOfFullTable ? "has a free file descriptor" : "can write \(file)"
            return [
                "it is thawed as soon as the supervisor \(remedy)",
                "\(verb("kill")) would end it at once",
            ]
        }
    }

    /// What it waits for on its way to its goal; nil where there is no such thing, or another.
    package var obstacle: String? {
        if let asleep { return asleep }
        if life.isLaunching {
            let command = view.launchCommand.map { isForOperator ? $0.description : "\($0.key)=" }
            return "its launch is not complete yet" + (command.map { ": \($0) is running" } ?? "")
        }
        if let callback = life.callbackInFlight {
            return "it has not completed \(callback.callback.rawValue) yet"
        }
        if life.isInterrupted, life.state == .inactive, life.goal == .active { return interruption }
        if life.isReloading { return "it is reloading its configuration" }
        guard life.awaitsForeground else { return nil }
        guard let holder = view.foregroundHolder else {
            return "another worker of its group has the foreground"
        }
        return holder.isLaunching
            ? "\(holder.name) has the foreground of its group, and leaves it after its launch"
            : "\(holder.name) has the foreground of its group"
    }

    /// What interrupts it, in a clause.
    private var interruption: String {
        let words = view.interruptions.map { $0.words(withTexts: isForOperator) }
        return words.isEmpty ? "it is interrupted" : "it is interrupted: \(list(words))"
    }

    /// What keeps it awake, with the verb.
    private static func words(for work: (tasks: Int, activities: Int)) -> String {
        func count(_ number: Int, _ one: String, _ many: String) -> String? {
            number == 0 ? nil : number == 1 ? "one \(one)" : "\(number) \(many)"
        }
        let parts = [
            count(work.tasks, "background task", "background tasks"),
            count(work.activities, "activity", "activities"),
        ].compactMap(\.self)
        return parts.joined(separator: " and ") + (work.tasks + work.activities == 1 ? " keeps" : " keep")
    }

    /// How the last process ended; without the command or the deadline that was to blame, for a caller that is no operator.
    private var lastEnd: String? {
        guard var record = view.lastRecord else {
            // Of a process under another supervisor the history knows.
            let termination = rendering.entry.lastEnd?.termination
            return isForOperator ? termination?.sentence : termination?.redacted.sentence
        }
        if !isForOperator { (record.detail, record.unfinishedDirective) = (nil, nil) }
        return StatusPrinter.sentence(record)
    }

    private func because(_ rest: RestReason) -> String {
        let record =
            launchFailure.map { ", its launch failed: \($0)" } ?? lastEnd.map { ", it \($0)" } ?? ""
        if view.isStartLimited {
            let rule = life.policy.restart
            return "it was started too often: StartLimitBurst=\(rule.limitBurst) was reached within "
                + "StartLimitIntervalSec=\(rule.limitInterval.written())\(record)"
        }
        return switch rest {
        case .neverLaunched: "it has not been launched yet"
        case .exited: "its process exited\(record)"
        case .evicted where view.lastRecord?.cause == .memoryLimit:
            "it exceeded its own memory limit, MemoryMax=\(record)"
        case .evicted: "it was evicted\(record)"
        case .forceQuit: "it was force-quit\(record)"
        case .failed: "it failed\(record)"
        case .backingOff: "it waits to be restarted\(record)"
        }
    }

    /// What woke it last, and when, in a clause; nil where it sleeps, or nothing did.
    private var woken: String? {
        guard life.state != .suspended, let wake = view.lastWake else { return nil }
        let words = wake.origin.words(withDetails: isForOperator)
        return "\(words) woke it \(span(rendering.now - wake.at)) ago"
    }

    /// What else explains it: what woke it, which hook failed on the way, what it holds in its sleep.
    private var facts: [String] {
        guard life.currentLaunch != nil else { return hookFailures + keptWakes }
        var facts: [String] = []
        if let woken, woken != because { facts.append(woken) }
        facts += hookFailures
        if let heldFact { facts.append(heldFact) }
        return facts + keptWakes + wakingFacts
    }

    /// What waits until its budget of wakes is full again.
    private var keptWakes: [String] {
        guard let budget = view.wakeBudget, !budget.kept.isEmpty else { return [] }
        let kept = list(budget.kept.map { $0.words(withDetails: isForOperator) })
        if view.isHeldBack {
            return [
                "\(kept) will launch it when its protected data is available for the first time since boot "
                    + "(Wants=firstUnlock)"
            ]
        }
        let full = budget.fullAgain.map { ", in \(span(max(.zero, $0 - rendering.now)))" } ?? ""
        let setting = rendering.setting("WakeBudget")
        return ["\(kept) will wake it when its budget of wakes (\(setting)) is full again\(full)"]
    }

    private var heldFact: String? {
        guard life.state == .suspended, let held = view.heldDetail else { return nil }
        return isForOperator ? "it holds \(held) while suspended" : "it holds a resource while suspended"
    }

    /// The hooks that have failed and not succeeded since: which, why, what was done, and when.
    private var hookFailures: [String] {
        view.hookFailures.map { failure in
            let age = "\(span(rendering.now - failure.at)) ago"
            guard isForOperator else { return "its \(failure.callback.rawValue) hook failed \(age)" }
            let topic = failure.topic.map { " (topic \($0))" } ?? ""
            let action = failure.action.map { "\($0), " } ?? ""
            return
                "its \(failure.callback.rawValue) hook\(topic) failed: \(failure.problem) (\(action)\(age))"
        }
    }

    private var idleDelay: String? { life.policy.idle.map { $0.delay.written() } }

    private func span(_ span: TimeSpan) -> String {
        let rounded = TimeSpan(microseconds: max(0, span.microseconds))
        return rounded.written(accuracy: rounded < .seconds(10) ? .milliseconds(1) : .seconds(1))
    }

    private static func frozen(_ group: String) -> String { "its cgroup \(group) is frozen" }

    private static func thawing(_ group: String) -> String {
        "'systemctl thaw' of its unit, or writing 0 to \(group)/cgroup.freeze,"
    }

    /// Why a worker cannot be woken that a frozen group holds, and what would let it run, for the answer to a request.
    static func heldAbove(_ group: String) -> String {
        "\(frozen(group)); \(thawing(group)) would thaw it"
    }

    private func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }

    // MARK: what would change it

    /// A verb as the caller may use it, or as an operator may.
    private func verb(_ name: String) -> String {
        isForOperator ? "'torpor \(name)'" : "an operator's 'torpor \(name)'"
    }

    /// What would change it, in words, the likeliest first.
    var wouldChange: [String] {
        if let awakening { return awakening }
        if life.isHeld {
            let wholly = "\(verb("resume")) followed by 'torpor suspend' would suspend all of it"
            return ["\(verb("resume")) would continue it, or SIGCONT if a signal stopped it"]
                + (rendering.runningOthers > 0 ? [wholly] : [])
        }
        // It ends by itself, or at its deadline.
        if life.isEnding { return [] }
        switch life.state {
        case .notRunning:
            if life.restReason == .backingOff {
                return ["its Restart= rule will start it", "\(verb("launch")) would start it at once"]
            }
            if view.launching != nil { return ["\(verb("terminate")) would cancel its launch"] }
            if life.restReason == .forceQuit { return ["only an operator can launch it"] }
            let launching = launchFailure == nil ? "would start it" : "would try that again"
            return ["\(verb("launch")) \(launching)"] + wakes.map { "\($0) would start it" }
        case .inactive where life.isInterrupted && life.goal == .active && !view.interruptions.isEmpty:
            let remedies = view.interruptions.map { $0.remedy(of: view.name) }
            let each = remedies.enumerated().filter { !remedies[..<$0.offset].contains($0.element) }
            return ["it is active when \(list(each.map(\.element)))"]
        // On its way there it needs no help.
        case .inactive: return life.goal == .active ? [] : ["\(verb("activate")) would make it active"]
        case .active:
            guard let delay = idleDelay else { return ["\(verb("suspend")) would suspend it"] }
            return idleOutlook(delay)
        case .background where life.isKeptAwake && !view.tasks.isEmpty:
            return ["it is suspended when \(holds) \(view.tasks.count == 1 ? "ends" : "end")"]
                + ["\(verb("activate")) would move it to the foreground"]
        case .background:
            return [
                "\(verb("activate")) would move it to the foreground",
                "\(verb("suspend")) would suspend it",
            ]
        case .suspended:
            return ["\(verb("activate")) or 'torpor resume' would wake it"]
                + wakes.map { "\($0) would wake it" }
        }
    }

    /// The background tasks that keep it awake, with those that hold them.
    private var holds: String {
        guard isForOperator else { return view.tasks.count == 1 ? "that" : "those" }
        return list(view.tasks.map { "“\($0.name)”, held by \($0.requester)," })
    }

    /// Whether a fetch launches it where it does not run.
    private var isLaunchedByFetch: Bool {
        switch life.restReason {
        case .evicted, .exited, .failed: true
        case .neverLaunched, .forceQuit, .backingOff, nil: false
        }
    }

    /// What wakes it, or launches it, by itself.
    var wakes: [String] {
        let held = view.heldSockets.wakesBy.map { ["a client of \($0)"] } ?? []
        guard let modes = rendering.entry.background?.modes else { return held }
        let definition = rendering.entry.loaded?.definition
        var wakes = held
        // What is past the budget is kept, as is said besides.
        let isSpent = view.wakeBudget?.isExhausted(view.wakeAllowance, at: rendering.now) ?? false
        if isSpent || view.isHeldBack { return wakes + (definition.map(urlWakes) ?? []) }
        if modes.contains(.fetch), life.currentLaunch != nil || isLaunchedByFetch, let due = view.fetchDue {
            wakes.append("the next background fetch, in \(span(due - rendering.now)),")
        }
        if modes.contains(.processing), let standing = view.processing, life.restReason != .forceQuit {
            let left = standing.due - rendering.now
            wakes.append("a good time for its long work" + (left > .zero ? ", from \(span(left)) on," : ""))
        }
        if modes.contains(.remoteNotification) {
            if let entry = view.schedules.first(where: \.wakes) {
                let (left, isBeyond) = entry.due.subtractingReportingOverflow(wallClock)
                let topic = isForOperator ? " to \(entry.post.topic.name)" : ""
                wakes.append(
                    "the post\(topic) scheduled in \(span(TimeSpan(microseconds: isBeyond ? .max : left)))"
                )
            }
            wakes.append("a silent post")
        }
        if modes.contains(.path) {
            let paths = definition?.notifications.paths.map(\.text) ?? []
            wakes.append(
                isForOperator && !paths.isEmpty ? "a change of \(list(paths))" : "a change of a watched path")
        }
        if modes.contains(.device) { wakes.append("the appearance of a watched device") }
        guard let definition else { return wakes }
        if !definition.activityTypes.isEmpty { wakes.append("an activity that is handed over to it") }
        return wakes + urlWakes(definition)
    }

    private func urlWakes(_ definition: WorkerDefinition) -> [String] {
        guard !definition.urlSchemes.isEmpty else { return [] }
        let schemes = definition.urlSchemes.map { "\($0):" }
        return [isForOperator ? "a URL of \(list(schemes))" : "a URL"]
    }

    private func list(_ words: [String]) -> String {
        let shown = words.prefix(3).joined(separator: ", ")
        return words.count > 3 ? "\(shown) or \(words.count - 3) more" : shown
    }
}
