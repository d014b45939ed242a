import Testing

@testable import Lifecycle

/// Long work at a good time: an activity whose deadline is told, and may come sooner (`Modes=processing`).
@Suite struct `Long work` {
    private static let asleep: [Cue] = .background + [.idles(), .event(.frozen)]
    private static let working: [Cue] = asleep + [.brings(.processing), .event(.thawed)]
    private static let begins = Cue.event(
        .woken(Wake(.processing, intoForeground: false, bringing: Inbound(id: 1, .processing))))

    @Test func `wakes a sleeper into the background, keeps it there, and lets it sleep`() {
        var life = Life(.app, Self.asleep)
        #expect(
            life.play(.brings(.processing), .event(.thawed)).seen
                == [.moved(.suspended, .background), .told(.performProcessing)])
        #expect(life.worker.isKeptAwake)
        #expect(life.play(.finishes).contains(.freeze))
    }

    @Test func `launches a worker that does not run, into the background`() {
        var life = Life(.app, [.event(.woken(Wake(.processing, intoForeground: false)))])
        #expect(life.worker.currentLaunch?.reason == .processing)
        #expect(life.worker.currentLaunch?.intoForeground == false)
        life.play(.event(.launched(pid: 7)))
        #expect(life.worker.state == .background)
    }

    @Test func `is told of its end five seconds before, and killed when it does not end`() throws {
        var life = Life(.app, Self.working)
        let first = try #require(life.worker.deadlines.first { $0.timer != .callback })
        guard case .activity(let id) = first.timer else {
            Issue.record("\(first)")
            return
        }
        #expect(life.remaining(first.timer) == .seconds(1795))
        #expect(life.play(.expires(first.timer)).seen == [.told(.backgroundTaskWillExpire)])
        #expect(life.remaining(.activity(id)) == .seconds(5))
        life.play(.completes())
        #expect(life.play(.expires(.activity(id))).contains(.kill))
        life.play(.exits(.killed(signal: 9, coreDumped: false)))
        #expect(life.records.last?.cause == .backgroundTask)
    }

    @Test func `of a daemon is given up at its end`() throws {
        var policy = Policy(hooks: CallbackSet([.performProcessing]), killsOverrun: false)
        policy.limits.processing = .seconds(100)
        var life = Life(policy, [Self.begins, .event(.launched(pid: 7))])
        let timer = try #require(life.worker.deadlines.first?.timer)
        #expect(life.remaining(timer) == .seconds(100))
        let effects = life.play(.expires(timer))
        #expect(effects.contains(.warn(.overrun(.performProcessing))) && effects.contains(.freeze))
    }

    @Test func `ends sooner when the machine has no more time for it`() {
        var life = Life(.app, Self.working)
        #expect(life.play(.event(.processingRevoked)).seen == [.told(.backgroundTaskWillExpire)])
        #expect(life.worker.deadlines.contains { life.remaining($0.timer) == .seconds(5) })
        // Once is enough.
        #expect(life.play(.event(.processingRevoked)).seen.isEmpty)
        life.play(.completes())
        #expect(life.play(.finishes).contains(.freeze))
        #expect(life.worker.deadlines.isEmpty)
    }

    @Test func `that has not begun does not begin`() {
        var life = Life(.app, Self.asleep + [.brings(.processing)])
        #expect(life.play(.event(.processingRevoked)).contains(.drop(Inbound(id: 1, .processing), .ended)))
        #expect(!life.play(.event(.thawed)).seen.contains(.told(.performProcessing)))
    }

    @Test func `of a worker that cannot be told lasts until it is quiet, or its time is over`() {
        var policy = Policy(quiet: QuietPolicy())
        policy.limits.processing = .seconds(1000)
        let busy: [Cue] = [.event(.launched(pid: 7)), .event(.cpuRead(CPUReading(used: .seconds(1))))]
        var life = Life(policy, [Self.begins] + busy)
        #expect(life.worker.awaitsQuiet)
        #expect(life.worker.process?.unconfirmed?.until == life.now + .seconds(1000))
        #expect(life.play(.event(.processingRevoked)).contains(.freeze))
    }

    @Test func `of a worker that runs to its end is stopped, where it was launched for that`() {
        var policy = Policy(readiness: .exit)
        policy.limits.launch = nil
        var life = Life(policy, [Self.begins, .event(.launched(pid: 7))])
        #expect(life.play(.event(.processingRevoked)).contains(.stop))
        life.play(.exits(.killed(signal: 15, coreDumped: false)))
        #expect(life.worker.restReason == .exited)
        // One that was launched for something else goes on.
        life = Life(policy, [.wakes, .event(.launched(pid: 7))])
        #expect(!life.play(.event(.processingRevoked)).contains(.stop))
    }

    @Test func `is not given to a worker that was ended by force, is held, or is on its way`() {
        let forced = Cue.event(.forceQuit(Vocabulary.human))
        #expect(Life(.app, []).worker.mayProcess(hasHook: false))
        #expect(Life(.app, Self.asleep).worker.mayProcess(hasHook: false))
        #expect(Life(.app, .active).worker.mayProcess(hasHook: false))
        #expect(
            !Life(Policy(), [.wants(.active), .event(.launched(pid: 7))]).worker.mayProcess(hasHook: false))
        #expect(!Life(.app, [.wants(.active)]).worker.mayProcess(hasHook: true))
        #expect(!Life(.app, .active + [.event(.stoppedOutside)]).worker.mayProcess(hasHook: true))
        let ended = Life(.app, .active + [forced, .exits(.killed(signal: 9, coreDumped: false))])
        #expect(!ended.worker.mayProcess(hasHook: true))
    }

    @Test func `is written down with what was told of its end`() throws {
        var life = Life(.app, Self.working)
        life.play(.event(.processingRevoked))
        #expect(life.worker.process?.activities.first?.expiryTold == true)
        #expect(try Snapshots.restored(Snapshots.bytes(of: life.worker), .app) == life.worker)
    }
}
