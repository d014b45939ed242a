package import Idleness
package import Lifecycle

/// What one worker is used for and what is learnt of its wakes, for as long as its process is there.
package struct WorkerUse: Sendable {
    /// What is learnt of its wakes.
    package private(set) var naps = NapPolicy()
    /// Whether it accepts the connection for which it was woken.
    package var acceptance = AcceptWatch()
    /// What sleep would give, where that is only observed.
    package private(set) var gain = SleepGain()
    /// What it has used of the processors over its idle time.
    private var window = UseWindow()
    /// The latest use that was found, when it was looked for last.
    private var found: Use?
    /// The answer that it owes while it sleeps by the request of others.
    private var debt: Use?
    /// The latest that passed through the supervisor, or woke it; put into words when its use is looked for.
    private var passage: (of: WakeFilter.Reason, at: Instant)?
    /// It was told that its use cannot be seen.
    private var isUnknown = false

    /// Nothing is known.
    package init() {}

    /// The latest use that was found, or the answer that it owes asleep; nil where none was, or it was not looked for.
    package var latest: Use? { debt ?? found }

    /// Counts what it uses of the processors from now on; `read` tells what it has used so far, where that is not known from its sleep.
    package mutating func begin(at now: Instant, read: () -> TimeSpan?) {
        window.begin(at: now, read: read)
    }

    /// It has fallen asleep; `read` tells what it has used of the processors, where that was not read just before.
    package mutating func slept(at now: Instant, read: () -> TimeSpan?) {
        window.slept(at: now, read: read)
    }

    /// Something for it has passed through the supervisor, in words.
    package mutating func passed(_ what: String, at now: Instant) {
        passage = (.ready(what), now)
    }

    /// It was woken by its sockets.
    package mutating func woke(by reason: WakeFilter.Reason, at now: Instant) {
        naps.woke(by: reason, at: now)
        // It may be closed when its use is looked for.
        if reason.kind == .connection, reason.peer != nil { passage = (reason, now) }
    }

    /// It sleeps.
    package mutating func fellAsleep() { _ = acceptance.handle(.rests) }

    /// It is to run again.
    package mutating func rises() { debt = nil }

    /// What is to be told of a worker when its idle time has run out.
    package struct Judgement {
        /// The answer to the question of its last use.
        package let answer: LastUse
        /// Why its use cannot be seen, the first time.
        package let remark: String?
    }

    /// Judges what was found of a worker that has used `cpu` of the processors so far, at the end of its idle time of `delay`.
    package mutating func judge(
        _ finding: UseInspector.Finding, by rules: UseRules, delay: TimeSpan, cpu: TimeSpan?, at now: Instant
    ) -> Judgement {
        switch finding.tables {
        case .failure(let why):
            defer { isUnknown = true }
            return Judgement(answer: .lasting, remark: isUnknown ? nil : why.words)
        case .success(let tables):
            var facts = UseFacts()
            // A sleeper would have been woken by what its clients have closed since; one that acts would be kept awake by their probes.
            facts.connections = UseFacts.Connection.all(
                in: tables, of: finding.owner, at: finding.at, withClientsEnds: !rules.acts)
            facts.leavesWaiting =
                finding.leavesUnixWaiting
                || UseFacts.Connection.areLeftWaiting(in: tables, by: finding.owner)
            facts.cpu = cpu.flatMap { window.share($0, at: now, over: delay) }
            facts.passage = passage.map { UseFacts.Passage($0.of.words, at: $0.at) }
            facts.hasSockets = finding.owner.cgroup != nil || !finding.owner.inodes.isEmpty
            let use = rules.lastUse(facts, at: now)
            found = use
            found?.seen = now
            let answer = naps.answer(use, leavesWaiting: facts.leavesWaiting)
            guard !rules.acts else { return Judgement(answer: answer, remark: nil) }
            // It goes on running, and is asked again after its delay (`Idle=observe`).
            gain.judged(use, at: now, delay: delay)
            return Judgement(answer: .lasting, remark: nil)
        }
    }

    /// Takes whether it owes an answer, asleep.
    package mutating func takeDebt(
        _ finding: UseInspector.Finding, by rules: UseRules, at now: Instant
    ) {
        guard case .success(let tables) = finding.tables else { return }
        var facts = UseFacts()
        facts.connections = UseFacts.Connection.all(in: tables, of: finding.owner, at: finding.at)
        guard let use = rules.lastUse(facts, at: now), case .owes = use.kind else { return }
        debt = use
        debt?.seen = now
    }
}
