import Testing

@testable import Lifecycle

/// A worker that could not be frozen: the freeze is tried again for as long as sleep is wanted.
@Suite struct `A freeze that failed` {
    private static let freezing: [Cue] = [.wants(.active), .event(.launched(pid: 7)), .idles()]
    private static let failed = Cue.event(.freezeFailed)

    @Test func `is tried again by itself, later each time, at most every minute`() {
        var life = Life(Policy(), Self.freezing)
        var delays: [TimeSpan?] = []
        for _ in 0..<9 {
            life.play(Self.failed)
            delays.append(life.remaining(.freeze))
            #expect(life.worker.awaitsFreeze && life.worker.state == .background)
            #expect(life.play(.expires(.freeze)) == [.freeze])
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        life.play(.event(.frozen))
        #expect(life.worker.state == .suspended && !life.worker.awaitsFreeze)
        // It begins anew with the next sleep.
        life.play(.wants(.active), .event(.thawed), .idles(), Self.failed)
        #expect(life.remaining(.freeze) == .seconds(1))
    }

    @Test func `is warned of until the delay is at its longest`() {
        var life = Life(Policy(), Self.freezing)
        for _ in 0..<12 { life.play(Self.failed, .expires(.freeze)) }
        let warnings = life.effects.filter { $0 == .warn(.freezeFailed) }
        #expect(warnings.count == 7)
    }

    @Test func `is not tried again when the worker is wanted awake, or ends`() {
        for cue in [
            Cue.wants(.active), .wants(.background), .wants(.notRunning),
            .event(.resumeRequested(Vocabulary.human)),
        ] {
            var life = Life(Policy(), Self.freezing + [Self.failed])
            life.play(cue)
            #expect(life.remaining(.freeze) == nil, "\(cue)")
        }
    }

    @Test func `is tried at once when sleep is asked for anew`() {
        var life = Life(Policy(), Self.freezing + [Self.failed, .expires(.freeze), Self.failed])
        #expect(life.play(.wants(.suspended)).contains(.freeze))
        life.play(Self.failed)
        #expect(life.remaining(.freeze) == .seconds(1))
    }

    @Test func `waits for work that has come meanwhile`() {
        var life = Life(Policy(), Self.freezing + [Self.failed, .event(.taskBegan(token: 1))])
        #expect(!life.play(.expires(.freeze)).contains(.freeze))
        #expect(life.play(.event(.taskEnded(token: 1))).contains(.freeze))
    }

    @Test func `because another worker needs it awake is not tried again`() {
        var life = Life(Policy(), Self.freezing)
        #expect(life.play(.event(.freezeRefused)).contains(.warn(.freezeFailed)))
        #expect(life.remaining(.freeze) == nil)
    }

    @Test func `told of a worker that sleeps has it run, in the model and on the machine`() {
        var life = Life(Policy(), Self.freezing + [.event(.frozen)])
        #expect(life.play(.event(.freezeFailed)).contains(.thaw))
        #expect(life.worker.state == .background)
    }

    @Test(arguments: [Event.freezeFailed, .freezeRefused])
    func `leaves a worker that ends by itself the time that a stop has`(_ failure: Event) {
        var life = Life(Policy(), Self.freezing + [.event(.stopping)])
        #expect(life.remaining(.ending) == nil, "it is one or the other in a moment")
        life.play(.event(failure))
        #expect(life.remaining(.ending) == Policy().limits.stop)
        #expect(life.play(.expires(.ending)).contains(.kill))
    }
}
