package import Linux

/// A value of the loop's on its way through another thread, which carries it and does nothing else with it.
///
/// It is made, opened and released on the loop's thread: made and opened elsewhere it traps, and one that is dropped elsewhere goes
/// back to be released.
package final class LoopConfined<Value>: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: `stored` is written by `init` and read by `value`, both of which check the thread; `deinit`
    // has no rival, and leaves it to the loop's thread.
    private var stored: Carried<Value>
    private let loop: EventLoop

    /// Takes `value`; on the loop's thread.
    package init(_ value: Value, on loop: EventLoop) {
        loop.checkThread()
        stored = Carried(value: value)
        self.loop = loop
    }

    deinit {
        guard !loop.isLoopThread else { return }
        let stored = stored
        loop.call { withExtendedLifetime(stored) {} }
    }

    /// The value; on the loop's thread.
    package var value: Value {
        loop.checkThread()
        return stored.value
    }
}

/// What is inside, on its way back.
private struct Carried<Value>: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: only `LoopConfined` has one.
    let value: Value
}

extension EventLoop {
    /// Has `body` called in a turn of its own, after those that were asked for before; on the loop's thread.
    package func callSoon(_ body: @escaping () -> Void) {
        let body = LoopConfined(body, on: self)
        call { body.value() }
    }
}

extension JobThread {
    /// Does `work` on this thread, and tells `answer` on the loop what came of it; asked on the loop's thread.
    package func perform<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, on loop: EventLoop, then answer: @escaping (Result) -> Void
    ) {
        let answer = LoopConfined(answer, on: loop)
        perform {
            let result = work()
            loop.call { answer.value(result) }
        }
    }
}
