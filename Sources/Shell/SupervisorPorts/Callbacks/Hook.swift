package import ConfigurationSyntax
package import Lifecycle
package import Linux
internal import WorkerFile

/// What is done for a callback of a worker that does not use `io.torpor.Worker`.
package struct Hook: Hashable, Sendable {
    /// What is done.
    package enum Action: Hashable, Sendable {
        /// Sends this signal to the worker's main process.
        case signal(Signal)
        /// Sends these to the processes that the worker's signals reach; none at first: those that the notification names.
        case signals([Signal])
        /// Runs a command that the configuration prepares, as a process of the worker.
        case command
        /// Writes this line to the worker's standard input; the newline is added.
        case input(String)
    }

    /// What is done.
    package var action: Action
    /// When it counts as completed.
    package var completion: CallbackCompletion
    /// Whether a command that fails counts as done (`exec:-PATH`).
    package var ignoresFailure = false
    /// What is done, as its file has it (`exec:/bin/save`); nil where no file does.
    package var text: String?

    /// A hook that does `action` and is over at `completion`.
    package init(_ action: Action, completes completion: CallbackCompletion) {
        self.action = action
        self.completion = completion
    }
}

/// A hook that is to be carried out once.
package struct HookCall: Hashable, Sendable {
    /// The id of the delivery, which its answer names.
    package let id: UInt32
    /// What the worker is told; for a command that belongs to no callback, what is told next.
    package let callback: Callback
    /// The command that is run, where it belongs to no callback.
    package var command: ServiceCommand?
    /// What is done.
    package let hook: Hook
    /// The topic that it is for, where its file has a hook for that; nil for that of a callback.
    package let topic: String?
    /// What the callback brings, as variables for a command: `TORPOR_URL` and the like.
    package let variables: [String: ByteString]
    /// The most that its standard output may hold where that is the answer; nil where it is logged line by line.
    package let answerLimit: Int?
    /// The launch that its process came from, which the environment of a command tells of; nil where that is known to the host.
    package var launch: Launch?
    /// What came with that launch.
    package var details = LaunchDetails()

    /// The exit status by which the command of a PerformFetch= hook says that there was nothing new, as HTTP's 204 No Content does.
    package static let noDataStatus: Int32 = 204

    /// Whether it performs a background fetch.
    package var isFetch: Bool { command == nil && callback == .performFetch }

    /// A call of `hook` for the delivery `id`.
    package init(
        id: UInt32, _ callback: Callback, _ hook: Hook, topic: String? = nil,
        variables: [String: ByteString] = [:],
        answerLimit: Int? = nil
    ) {
        self.id = id
        self.callback = callback
        self.hook = hook
        self.topic = topic
        self.variables = variables
        self.answerLimit = answerLimit
    }
}

/// What came of a hook besides its completion.
package struct HookResult: Hashable, Sendable {
    /// What went wrong, in words; nil where nothing did.
    package var problem: String?
    /// Its standard output, where that was asked for.
    package var answer: [UInt8]?

    /// Nothing, unless said otherwise.
    package init(problem: String? = nil, answer: [UInt8]? = nil) {
        self.problem = problem
        self.answer = answer
    }
}
