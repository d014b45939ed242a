package import Linux

/// A value of the loop's on its way through another thread, which carries it and does nothing else with it.
///
/// It is made, opened and released on the loop's thread: made and opened elsewhere it traps, and one that is dropped elsewhere goes
/// back to be released.
@safe package final class LoopConfined<Value>: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: `holder` never changes; what it holds is read by `value` alone, and released by `deinit` or the
    // call that it leaves: all of them on the loop's thread.
    private let holder: Holder<Value>
    private let loop: EventLoop

    /// Takes `value`; on the loop's thread.
    package init(_ value: Value, on loop: EventLoop) {
        loop.checkThread()
        holder = Holder(value)
        self.loop = loop
    }

    deinit {
        let holder = holder
        if loop.isLoopThread { holder.release() } else { loop.call { holder.release() } }
    }

    /// The value; on the loop's thread.
    package var value: Value {
        loop.checkThread()
        return holder.value
    }
}

/// One reference to a value, which is given up where `release()` is called and nowhere else.
@safe private struct Holder<Value>: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: only `LoopConfined` has one, and asks it on the loop's thread.
    private final class Box {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private let box: Unmanaged<Box>

    init(_ value: Value) { unsafe box = .passRetained(Box(value)) }

    var value: Value { unsafe box.takeUnretainedValue().value }

    func release() { unsafe box.release() }
}

extension EventLoop {
    /// Has `body` called in a turn of its own, after those that were asked for before; on the loop's thread.
    package func callSoon(
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping () -> Void
    ) {
        let body = LoopConfined(body, on: self)
        call(file: file, line: line) { body.value() }
    }
}

extension JobThread {
    /// Does `work` on this thread, and tells `answer` on the loop what came of it; asked on the loop's thread.
    ///
    /// Where no thread can be created, it is tried again until one can: for work whose end no caller waits for.
    package func perform<Result: Sendable>(
        file: StaticString = #fileID, line: UInt = #line,
        _ work: @escaping @Sendable () -> Result, on loop: EventLoop, then answer: @escaping (Result) -> Void
    ) {
        let answer = LoopConfined(answer, on: loop)
        let mustRetry = leave {
            let result = work()
            loop.call(file: file, line: line) { answer.value(result) }
        }
        if mustRetry { JobRetry(of: self).begin(on: loop) }
    }

    /// The same; where no thread can be created, nothing is done, and `refused` is told why in a turn of its own.
    package func perform<Result: Sendable>(
        file: StaticString = #fileID, line: UInt = #line,
        _ work: @escaping @Sendable () -> Result, on loop: EventLoop, then answer: @escaping (Result) -> Void,
        refused: @escaping (LinuxError) -> Void
    ) {
        let answer = LoopConfined(answer, on: loop)
        do throws(LinuxError) {
            try perform {
                let result = work()
                loop.call(file: file, line: line) { answer.value(result) }
            }
        } catch {
            loop.callSoon { refused(error) }
        }
    }
}

/// Tries again to create a thread for jobs that wait, until there is one; it keeps itself until then.
private final class JobRetry {
    /// How long after a failure it is tried again, in microseconds.
    private static let pause: Int64 = 100_000
    private let thread: JobThread
    private let timer = SourceBox<TimeSource>()

    init(of thread: JobThread) { self.thread = thread }

    func begin(on loop: EventLoop) {
        timer.handle = try? TimeSource(on: loop, accuracy: Self.pause / 4, priority: .clients) { [self] _ in
            guard thread.goOn() else {
                timer.handle?.arm(at: KernelClock.monotonic + Self.pause)
                return
            }
            loop.callSoon { [self] in timer.handle = nil }
        }
        // Ignoring that there is no timer: the next job tries again.
        timer.handle?.arm(at: KernelClock.monotonic + Self.pause)
    }
}
