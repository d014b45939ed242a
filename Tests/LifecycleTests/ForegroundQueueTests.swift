import Testing

@testable import Lifecycle

/// What waits for the foreground (2.4, until=foreground).
@Suite struct `What waits for the foreground` {
    private static let queued = Cue.event(.foregroundNotificationsQueued)
    private static let time = Cue.event(.announced(.significantTimeChange))

    private func life(_ cues: [Cue]) -> Life {
        var policy = Policy.app
        policy.foregroundAnnouncements = CallbackSet([.significantTimeChange])
        return Life(policy, cues)
    }

    @Test func `is told at once in the foreground`() {
        var life = life(.active)
        #expect(life.play(Self.queued).seen == [.told(.didReceiveNotifications)])
        #expect(life.play(.completes(), Self.time).seen == [.told(.significantTimeChange)])
    }

    @Test func `is told neither in the background nor when it is woken for that`() {
        var life = life(.asleep + [Self.queued, Self.time])
        #expect(life.worker.state == .suspended)
        #expect(life.play(.wants(.background), .event(.thawed)).seen == [.moved(.suspended, .background)])
        #expect(life.worker.isSettled)
        #expect(life.play(Self.queued, Self.time).seen.isEmpty)
        // The rest of the queue is told, and sleep is not kept off.
        #expect(life.play(.event(.notificationsQueued)).seen == [.told(.didReceiveNotifications)])
        life.play(.finishes, .wants(.suspended), .event(.frozen))
        #expect(life.worker.state == .suspended)
    }

    @Test func `comes before the change to the foreground`() {
        var life = life(.asleep + [Self.queued, Self.time, .wants(.active)])
        let effects = life.play(.event(.thawed), .completes(), .completes(), .completes(), .completes())
        #expect(
            effects.seen == [
                .moved(.suspended, .background), .told(.didReceiveNotifications),
                .told(.significantTimeChange),
                .told(.willEnterForeground), .moved(.background, .inactive), .moved(.inactive, .active),
                .told(.didBecomeActive),
            ])
    }
}
