import TestSupport
import Testing

@testable import Lifecycle

/// A model goes on in another supervisor as if nothing had been.
@Suite struct `Snapshots` {
    static func bytes(of life: WorkerLifecycle) -> [UInt8] {
        var writer = SnapshotWriter()
        life.snapshot(to: &writer)
        return writer.bytes
    }

    static func restored(_ bytes: [UInt8], _ policy: Policy) throws -> WorkerLifecycle {
        var reader = SnapshotReader(bytes[...])
        let life = try WorkerLifecycle(restoring: &reader, policy: policy)
        guard reader.isAtEnd else { throw SnapshotError.broken }
        return life
    }

    /// What is wrong with the snapshot of a standing, or with what follows a crash in it; nil is nothing.
    ///
    /// The exhaustive exploration asks it of every standing that it reaches; `goesOn` looks at the way to rest as well.
    static func violation(of life: WorkerLifecycle, _ policy: Policy, goesOn: Bool) -> String? {
        let bytes = bytes(of: life)
        guard bytes.count < 256 else { return "a snapshot of \(bytes.count) bytes" }
        guard var again = try? restored(bytes, policy) else { return "it cannot be restored" }
        guard again == life else { return "restored, it is \(again)" }
        guard life.process != nil else { return nil }
        let now = Instant.zero + .seconds(5)
        let effects = again.recover(at: now)
        let isLegal = effects.allSatisfy { effect in
            guard case .publish(let transition) = effect else { return true }
            return Transition.isLegal(from: transition.from, to: transition.to)
        }
        if !isLegal || !again.inbox.isEmpty || again.process == nil {
            return "its recovery came to \(again) with \(effects)"
        }
        guard goesOn, let violation = again.violationOnTheWayToRest(at: now) else { return nil }
        return "\(violation)\nafter its recovery with \(effects)"
    }

    @Test(.timeLimit(.minutes(15)), arguments: Array(Policies.all.indices))
    func `taken at any moment of a long life change nothing of it`(_ index: Int) throws {
        let policy = Policies.all[index].policy
        var random = SplitMix64(seed: UInt64(index))
        var life = WorkerLifecycle(policy: policy)
        var now = Instant.zero
        for step in 0..<5_000 {
            now = now + TimeSpan(microseconds: Int64.random(in: 0...20_000_000, using: &random))
            let event =
                Bool.random(using: &random)
                ? life.cooperativeAnswer ?? .ready
                : Vocabulary.everything.randomElement(using: &random) ?? .ready
            if case .woken(let wake) = event, wake.inbound != nil, life.inbox.count > 20 { continue }
            var again = try Self.restored(Self.bytes(of: life), policy)
            let effects = life.handle(event, at: now)
            guard again.handle(event, at: now) == effects, again == life else {
                Issue.record("step \(step): \(event)\n\(again)\nis not\n\(life)")
                return
            }
        }
    }

    @Test(arguments: Array(Policies.all.indices))
    func `that are cut off or changed are refused or read, and never trap`(_ index: Int) throws {
        let policy = Policies.all[index].policy
        var random = SplitMix64(seed: UInt64(index))
        var life = WorkerLifecycle(policy: policy)
        for step in 0..<500 {
            let event =
                life.cooperativeAnswer ?? Vocabulary.everything.randomElement(using: &random) ?? .ready
            _ = life.handle(event, at: .zero + .seconds(Int64(step)))
            let whole = Self.bytes(of: life)
            let cut = Array(whole.prefix(Int.random(in: 0..<whole.count, using: &random)))
            if (try? Self.restored(cut, policy)) != nil { Issue.record("read \(cut) of \(whole)") }
            var changed = whole
            changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(
                in: 0...255, using: &random)
            var reader = SnapshotReader(changed[...])
            _ = try? WorkerLifecycle(restoring: &reader, policy: policy)
        }
    }

    @Test func `of another format are refused by it`() {
        var whole = Self.bytes(of: WorkerLifecycle(policy: .app))
        whole[0] += 1
        #expect(throws: SnapshotError.format(WorkerLifecycle.snapshotFormat + 1)) {
            try Self.restored(whole, .app)
        }
    }

    @Test func `have a place for every value of every kind`() {
        #expect(Set(Goal.codes) == Set(Goal.allCases))
        #expect(Set(RestReason.codes) == Set(RestReason.allCases))
        #expect(Set(LaunchReason.codes) == Set(LaunchReason.allCases))
        #expect(Set(Callback.codes) == Set(Callback.allCases))
        #expect(Set(Inbound.Kind.codes) == Set(Inbound.Kind.allCases))
        #expect(Set(TerminationRecord.Cause.codes) == Set(TerminationRecord.Cause.allCases))
    }

    /// What each format looked like when it was new: it is read for as long as there is a reader for its number.
    @Test func `written long ago are read`() throws {
        var life = WorkerLifecycle(policy: .app)
        _ = life.handle(.requested(Request(.active, by: .operator(uid: 5, pid: 300))), at: .zero)
        _ = life.handle(.launched(pid: 1234), at: .zero + .seconds(1))
        _ = life.handle(.attached(.all), at: .zero + .seconds(2))
        let golden: [UInt8] = [
            1, 0, 0, 5, 216, 4, 0, 1, 1, 0, 128, 189, 131, 20, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 1,
            2,
            1, 0, 1, 0, 164, 19, 0, 1, 1, 1, 1, 0, 128, 146, 244, 1, 0, 0, 1, 1, 2, 0, 1, 255, 255, 63, 0, 0,
            0,
            0, 0, 0, 0, 0, 0, 0, 128, 137, 122, 128, 137, 122, 0, 0,
        ]
        // The second format: no holds and nothing unconfirmed, behind the tasks and before the times.
        let second: [UInt8] = [
            2, 0, 0, 5, 216, 4, 0, 2, 1, 0, 128, 189, 131, 20, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 1,
            2, 1, 0, 1, 0, 0, 164, 19, 0, 1, 1, 1, 1, 0, 128, 146, 244, 1, 0, 0, 1, 1, 2, 0, 1, 255, 255, 63,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 137, 122, 128, 137, 122, 0, 0,
        ]
        // The third format: how often a freeze has failed, at the end.
        let newest = [3] + second.dropFirst() + [0]
        #expect(Self.bytes(of: life) == newest)
        #expect(try Self.restored(second, .app) == life)
        // When the first was new, the launch armed its timer once: a model of that time counts one generation less.
        var carriedOver = newest
        (carriedOver[7], carriedOver[14]) = (1, 1)
        #expect(Self.bytes(of: try Self.restored(golden, .app)) == carriedOver)
        #expect(try Self.restored(newest, .app) == life)
    }

    // MARK: recovery

    @Test func `keep a callback that the worker has in hand, and give up one that a hook was carrying out`() {
        var app = WorkerLifecycle(policy: .app)
        _ = app.handle(.requested(Request(.active, by: .supervisor)), at: .zero)
        _ = app.handle(.launched(pid: 1), at: .zero)
        _ = app.handle(.attached(.all), at: .zero)
        #expect(app.recover(at: .zero) == [])
        #expect(app.batchesInFlight.map(\.callback) == [.willFinishLaunching])
        var policy = Policy()
        policy.hooks = CallbackSet([.willFinishLaunching])
        var daemon = WorkerLifecycle(policy: policy)
        _ = daemon.handle(.requested(Request(.active, by: .supervisor)), at: .zero)
        _ = daemon.handle(.launched(pid: 1), at: .zero)
        #expect(daemon.batchesInFlight.map(\.callback) == [.willFinishLaunching])
        let effects = daemon.recover(at: .zero)
        #expect(effects.contains(.launchCompleted))
        #expect(daemon.state == .active)
    }

    @Test func `take a daemon to be ready that may have said so to nobody`() {
        var life = WorkerLifecycle(policy: Policy(readiness: .notify))
        _ = life.handle(.requested(Request(.active, by: .supervisor)), at: .zero)
        _ = life.handle(.launched(pid: 1), at: .zero)
        #expect(life.isLaunching)
        _ = life.recover(at: .zero)
        #expect(!life.isLaunching)
        #expect(life.state == .active)
    }
}
