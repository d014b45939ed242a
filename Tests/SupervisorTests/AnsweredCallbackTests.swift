import Lifecycle
import Testing

@testable import History

/// What the history says of callbacks with the change that follows them.
@Suite struct `Callbacks that were answered` {
    @Test func `are told once, with how long they took, of their worker alone`() {
        var answers = AnsweredCallbacks()
        #expect(answers.take(of: "a") == nil)
        answers.note(.willResignActive, .done, .milliseconds(3), of: "a")
        answers.note(.didEnterBackground, .failed, .seconds(5), of: "a")
        answers.note(.willTerminate, .refused, .milliseconds(1), of: "b")
        let told = "willResignActive took 3ms, didEnterBackground failed after 5s"
        #expect(answers.take(of: "a") == told)
        #expect(answers.take(of: "a") == nil)
        #expect(answers.take(of: "b") == "willTerminate was refused after 1ms")
    }

    @Test func `that belong to the state which ends are told as before it`() {
        var answers = AnsweredCallbacks()
        answers.note(.didBecomeActive, .done, .milliseconds(508), of: "a")
        answers.note(.didEnterBackground, .done, .seconds(1), of: "a")
        #expect(answers.take(of: "a") == "didEnterBackground took 1s, before it didBecomeActive took 508ms")
        answers.note(.didBecomeActive, .done, .milliseconds(508), of: "a")
        #expect(answers.take(of: "a") == "before it didBecomeActive took 508ms")
    }

    @Test func `are no more than a few`() {
        var answers = AnsweredCallbacks()
        for _ in 0..<100 { answers.note(.didReceiveNotifications, .done, .milliseconds(1), of: "a") }
        #expect(answers.take(of: "a")?.split(separator: ",").count == 4)
    }
}
