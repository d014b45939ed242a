import SnapshotCoding
import SupervisorPorts
import TestSupport
import Testing

@testable import Lifecycle

/// A model goes on in another supervisor as if nothing had been.
@Suite struct `Snapshots` {
    /// A handover of a model alone.
    struct Handover: SnapshotObject {
        let life: WorkerLifecycle

        init(_ life: WorkerLifecycle) { self.life = life }

        init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Handover?) throws(C.Failure) {
            life = try c.required("life", 1, value?.life)
        }
    }

    static func bytes(of life: WorkerLifecycle) -> [UInt8] {
        var writer = RecordWriter()
        writer.begin(format: 4)
        life.write(to: &writer, as: 1)
        writer.end()
        return writer.bytes
    }

    static func restored(_ bytes: [UInt8], _ policy: Policy) throws -> WorkerLifecycle {
        var reader = RecordReader(bytes[...])
        _ = try reader.format()
        var life = try Handover(&reader, nil).life
        try reader.end()
        life.setPolicy(SharedPolicy(policy))
        return life
    }

    static func text(of life: WorkerLifecycle) -> [UInt8] { HandoverWriter.text(of: Handover(life)) }

    static func restored(text: [UInt8], _ policy: Policy) throws -> WorkerLifecycle {
        var life = try HandoverReader.value(Handover.self, of: text).life
        life.setPolicy(SharedPolicy(policy))
        return life
    }

    /// What is wrong with the snapshot of a lifecycle state, or with what follows a crash in it; nil is nothing.
    ///
    /// The exhaustive exploration asks it of every state that it reaches; `goesOn` looks at its handover, and at the
    /// way to rest, as well.
    static func violation(of life: WorkerLifecycle, _ policy: Policy, goesOn: Bool) -> String? {
        let bytes = bytes(of: life)
        guard bytes.count < 256 else { return "a snapshot of \(bytes.count) bytes" }
        guard var again = try? restored(bytes, policy) else { return "it cannot be restored" }
        guard again == life else { return "restored, it is \(again)" }
        if goesOn, (try? restored(text: text(of: life), policy)) != life { return "its handover is another" }
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

    @Test(.long, .timeLimit(.minutes(60)), arguments: Array(Policies.all.indices))
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
            if step % 16 == 0, try Self.restored(text: Self.text(of: life), policy) != life {
                let other = try Self.restored(text: Self.text(of: life), policy)
                Issue.record("step \(step): handed over, \(life) is \(other)")
                return
            }
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
            _ = try? Self.restored(changed, policy)
            var text = Self.text(of: life)
            text[Int.random(in: 0..<text.count, using: &random)] = UInt8.random(in: 0...127, using: &random)
            _ = try? Self.restored(text: text, policy)
        }
    }

    /// A field means for ever what it meant when it was new: these are not changed, only added to.
    @Test func `look as they always did`() throws {
        var life = WorkerLifecycle(policy: .app)
        _ = life.handle(.requested(Request(.active, by: .operator(uid: 5, pid: 300))), at: .zero)
        _ = life.handle(.launched(pid: 1234), at: .zero + .seconds(1))
        let callbacks = CallbackSet(Callback.allCases.filter { $0 != .performProcessing })
        _ = life.handle(.attached(callbacks), at: .zero + .seconds(2))
        let golden: [UInt8] = [
            4, 6, 4, 0, 10, 4, 0, 8, 5, 12, 216, 4, 0, 19, 6, 4, 0, 12, 128, 189, 131, 20, 16, 2, 0, 20, 2,
            60, 2, 76, 1, 80, 1, 86, 4, 2, 22, 6, 4, 1, 8, 0, 12, 1, 0, 8, 164, 19, 14, 4, 0, 0, 16, 1, 22, 4,
            1, 8, 0, 12, 128, 146, 244, 1, 26, 4, 1, 8, 2, 0, 0, 28, 255, 255, 63, 84, 128, 137, 122, 88, 128,
            137, 122, 0, 0, 0, 0,
        ]
        let text = #"""
            {"life":{"goal":"active","goalRequester":{"kind":"operator","uid":5,"pid":300},\#
            "timers":[{"timer":"launch","due":21000000,"generation":2}],"timerGeneration":2,"starts":1,\#
            "incarnation":1,"lastDelivery":1,"phase":{"kind":"running",\#
            "process":{"launch":{"incarnation":1,"reason":"operator","intoForeground":true},"pid":1234,\#
            "position":{"kind":"inactive"},"launching":"willFinish","slot":{"id":1,\#
            "callback":"willFinishLaunching","since":2000000,"then":{"kind":"launch","step":"restore"}},\#
            "attached":["willFinishLaunching","didFinishLaunching","didBecomeActive","willResignActive",\#
            "didEnterBackground","willEnterForeground","willTerminate","didReceiveMemoryWarning",\#
            "backgroundTaskWillExpire","performFetch","didReceiveNotifications","openURL",\#
            "continueActivity","handleTransferEvents","protectedDataWillBecomeUnavailable",\#
            "protectedDataDidBecomeAvailable","significantTimeChange","shouldSaveState","saveState",\#
            "restoreState"],"started":1000000,"stateSince":1000000}}}}
            """#
        #expect(Self.bytes(of: life) == golden)
        #expect(String(decoding: Self.text(of: life), as: UTF8.self) == text)
        #expect(try Self.restored(golden, .app) == life)
        #expect(try Self.restored(text: Array(text.utf8), .app) == life)
    }

    @Test
    func `are read where they have more than this version knows, and where they lack what has a default`()
        throws
    {
        let text = """
            {"life":{"goal":"active","mood":"bright","goalRequester":{"kind":"operator","uid":1,"pid":2,"name":"x"},
            "timers":[{"timer":"quiet","due":5,"generation":3,"of":[1,[2]]}],"extra":{"a":[{"b":null}]},
            "phase":{"kind":"running","process":{"launch":{"incarnation":1,"reason":"boot"},"pid":7,
            "position":{"kind":"suspended","since":4},"started":1,"stateSince":4,
            "attached":["openURL","flyAway"],"tasks":null}}}}
            """
        let life = try Self.restored(text: Array(text.utf8), .app)
        #expect(life.state == .suspended && life.goal == .active && life.pid == 7)
        #expect(life.goalBeforeSleep == .active && life.starts.windowBegan == .zero)
        #expect(life.goalRequester == .operator(uid: 1, pid: 2))
        #expect(life.attachedCallbacks == CallbackSet([.openURL]))
        #expect(life.alarms.map(\.due) == [Instant(microseconds: 5)])
    }

    @Test(arguments: [
        (#"{"life":{"goal":"active"}}"#, SnapshotError.missing("life.goalRequester")),
        (#"{"life":{"goal":"dancing"}}"#, .damaged("life.goal")),
        (#"{"life":{"goal":0}}"#, .damaged("life.goal")),
        (#"{"life":[]}"#, .damaged("life")),
        (#"{}"#, .missing("life")),
        (
            #"{"life":{"goal":"active","goalRequester":{"kind":"idle"},"timers":[{"timer":"hold","id":-1}]}}"#,
            .damaged("life.timers[0].id")
        ),
        (
            #"{"life":{"goal":"active","goalRequester":{"kind":"idle"},"timers":[{"timer":"idle","due":-1}]}}"#,
            .damaged("life.timers[0].due")
        ),
        (
            #"{"life":{"goal":"active","goalRequester":{"kind":"idle"},"falseIdles":256}}"#,
            .damaged("life.falseIdles")
        ),
    ])
    func `that are damaged are refused with the name of the member`(_ text: String, _ error: SnapshotError) {
        #expect(throws: error) { try Self.restored(text: Array(text.utf8), .app) }
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
