import Testing

@testable import Lifecycle

/// Saved state: asked for on the way out, handed back once, never the cause of a crash loop (1.6).
@Suite struct `Saved state` {
    private static let saved = Cue.event(.savedState(true))
    private static let restoring: [Cue] = [saved] + .attached + [.completes()]

    private func fates(_ effects: [Effect]) -> [SavedStateFate] {
        effects.compactMap { if case .savedState(let fate) = $0 { fate } else { nil } }
    }

    @Test func `is asked for after didEnterBackground`() {
        var life = Life(.app, .entering)
        #expect(life.play(.completes(), .completes()).seen == [.told(.shouldSaveState), .told(.saveState)])
    }

    @Test func `is not asked for when the worker has none, or its answer failed`() {
        for answer in [Completion.refused, .failed] {
            var life = Life(.app, .entering)
            #expect(life.play(.completes(), .completes(answer)).seen == [.told(.shouldSaveState)])
            #expect(life.worker.isSettled)
        }
    }

    @Test func `is handed back between willFinish- and didFinishLaunching, once`() {
        var life = Life(.app, [Self.saved] + .attached)
        #expect(life.worker.currentLaunch?.restoresState == true)
        #expect(
            life.play(.completes(), .completes()).seen == [.told(.restoreState), .told(.didFinishLaunching)])
        #expect(fates(life.play(.completes())) == [.consumed])
        life.play(.exits(), .wants(.active))
        #expect(life.worker.currentLaunch?.restoresState == false)
    }

    @Test func `is set aside when the worker dies with it`() {
        var life = Life(.app, Self.restoring)
        #expect(fates(life.play(.exits(.exited(1)))) == [.setAside])
        life.play(.wants(.active))
        #expect(life.worker.currentLaunch?.restoresState == false)
    }

    @Test func `is not restored by a process that is being made when it turns out to be of another version`()
    {
        var life = Life(.app, [Self.saved, .wants(.active)])
        #expect(life.worker.currentLaunch?.restoresState == true)
        #expect(life.play(.event(.savedState(false))).isEmpty)
        #expect(life.worker.currentLaunch?.restoresState == false)
        let effects = life.play(
            .event(.launched(pid: 9)), .event(.attached(.all)), .completes(), .completes())
        #expect(!effects.seen.contains(.told(.restoreState)))
        #expect(fates(effects).isEmpty)
    }

    @Test func `is kept when no process came to be`() {
        var life = Life(.app, [Self.saved, .wants(.active)])
        #expect(fates(life.play(.event(.launchFailed(errno: 2)))).isEmpty)
        life.play(.wants(.active))
        #expect(life.worker.currentLaunch?.restoresState == true)
    }

    @Test func `is dropped by a force-quit, and by nothing twice`() {
        var life = Life(.app, Self.restoring)
        #expect(fates(life.play(.event(.forceQuit(Vocabulary.human)))) == [.dropped])
        #expect(fates(life.play(.exits(.killed(signal: 9, coreDumped: false)))).isEmpty)
        #expect(fates(life.play(.event(.forceQuit(Vocabulary.human)))).isEmpty)
    }

    @Test func `outlives an eviction`() {
        var life = Life(
            .app,
            .asleep + [
                Self.saved, .event(.evictionRequested(Eviction(by: .memoryPressure))),
                .exits(.killed(signal: 9, coreDumped: false)), .wants(.active),
            ])
        #expect(life.worker.currentLaunch?.restoresState == true)
        #expect(fates(life.play(.event(.launched(pid: 9)))).isEmpty)
    }
}
