package import ConfigurationSyntax
package import Lifecycle
internal import WorkerFile

/// How a simulated program behaves: `[Program NAME]` in a scenario.
package struct Program: Hashable, Sendable {
    /// From the request to start it until execve(2) has succeeded.
    package var launch = TimeSpan.milliseconds(1)
    /// How many launches in a hundred fail.
    package var failingLaunches = 0
    /// From its start until READY=1, or until it attaches to its socket.
    package var ready = TimeLimit.after(.milliseconds(50))
    /// How long it takes over a callback.
    package var callback = TimeLimit.after(.milliseconds(5))
    /// The same for single callbacks.
    package var callbacks: [Callback: TimeLimit] = [:]
    /// How it answers them; done where nothing is said.
    package var answers: [Callback: Answer] = [:]
    /// What a program of `Type=app` wants to be told; nil is everything.
    package var receives: [ReceivedCallback] = []
    /// From the stop signal to its exit; without end it ignores the signal.
    package var stop = TimeLimit.after(.milliseconds(100))
    /// How it ends when it is asked to.
    package var stopStatus = ProgramEnd.clean
    /// How long it lives unless it is ended.
    package var life = TimeLimit.infinity
    /// How it ends then.
    package var lifeStatus = ProgramEnd.crash
    /// How long the background task lasts that it begins in didEnterBackground; nil begins none.
    package var task: TimeLimit?
    /// Whether it ends its tasks when it is told that they will expire.
    package var endsTasksOnExpiry = true
    /// How long it works each time that it has been started or woken, without a word of when it is done.
    package var busy = TimeLimit.after(.zero)
    /// The time between two WATCHDOG=1; nil is half of what the watchdog allows.
    package var ping: TimeLimit?
    /// Whether it holds what it must not hold asleep.
    package var holdsResource = false
    /// How long it takes to freeze it.
    package var freeze = TimeSpan.milliseconds(1)
    /// How many freezes in a hundred fail.
    package var failingFreezes = 0
    /// How long it takes to thaw it.
    package var thaw = TimeSpan.milliseconds(1)
    /// What it holds when it has started.
    package var memory = ByteSize(bytes: 0)
    /// By how much that grows in a second, while it runs.
    package var growth = ByteSize(bytes: 0)
    /// What it drops to when it is told that memory is short; nil keeps all.
    package var memoryAfterWarning: ByteSize?
    /// How much of it goes to swap while it sleeps.
    package var reclaimed = Share.percent(0)
    /// Its build id; nil where it has none.
    package var version: ProgramVersion?
    /// From SIGKILL to its end; without end the kernel does not let go of it.
    package var kill = TimeLimit.after(.milliseconds(1))
    /// How late the supervisor hears of anything, at the most.
    package var lateness = TimeSpan.zero
    /// How many facts in a hundred it hears of twice.
    package var doubled = 0

    /// A program that does its best, at once.
    package init() {}

    /// How long it takes over `callback`.
    package func time(for callback: Callback) -> TimeSpan? {
        (callbacks[callback] ?? self.callback).span
    }
}

/// How a program answers a callback.
package enum Answer: String, Keyword, Sendable {
    /// It did what was asked, or says yes.
    case done
    /// It says no.
    case refused
    /// It fails, or its hook does.
    case failed

    /// The same in the model's words.
    var completion: Completion {
        switch self {
        case .done: .done
        case .refused: .refused
        case .failed: .failed
        }
    }
}

/// The build id of a simulated program.
package struct ProgramVersion: Hashable, Sendable, PlainValue {
    /// The id.
    package let text: String

    /// Reads an id.
    package init(parsing text: String) throws(ValueError) {
        guard StateVersion.isName(text) else { throw ValueError(text, isNot: Self.expectation) }
        self.text = text
    }

    /// What is taken.
    package static var expectation: String { "a version such as 3 or a build id" }
    /// A version is one word.
    package static var isClosed: Bool { true }
}

/// A callback that a program wants to be told of.
package struct ReceivedCallback: Hashable, Sendable, PlainValue {
    /// Which one.
    package let callback: Callback

    /// Reads a callback's name.
    package init(parsing text: String) throws(ValueError) {
        guard let callback = Callback(rawValue: text) else {
            throw ValueError(text, isNot: Self.expectation)
        }
        self.callback = callback
    }

    /// What is taken.
    package static var expectation: String { "a callback such as didEnterBackground" }
    /// A callback is one word.
    package static var isClosed: Bool { true }
}

/// How a program ends: by exit(3) or by a signal.
package struct ProgramEnd: Hashable, Sendable, PlainValue {
    /// As waitid(2) tells it.
    package let status: ExitStatus

    /// Status 0.
    package static let clean = ProgramEnd(status: .exited(0))
    /// SIGSEGV.
    package static let crash = ProgramEnd(status: .killed(signal: 11, coreDumped: true))
    /// SIGKILL.
    static let killed = ProgramEnd(status: .killed(signal: 9, coreDumped: false))

    private init(status: ExitStatus) {
        self.status = status
    }

    /// Reads an exit status, or a signal's name.
    package init(parsing text: String) throws(ValueError) {
        if text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            guard let code = UInt8(text) else { throw ValueError(text, isNot: Self.expectation) }
            status = .exited(Int32(code))
        } else if let signal = try? SignalNumber(parsing: text) {
            status = .killed(signal: signal.number, coreDumped: Self.dumpsCore(signal.number))
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What is taken.
    package static var expectation: String { "an exit status from 0 to 255, or a signal such as SEGV" }
    /// An end is one word.
    package static var isClosed: Bool { true }

    /// The signals whose default is a core dump (signal(7)).
    private static func dumpsCore(_ signal: Int32) -> Bool {
        [3, 4, 5, 6, 7, 8, 11, 24, 25, 31].contains(signal)
    }
}
