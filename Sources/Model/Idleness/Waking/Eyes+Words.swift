package import Lifecycle

extension Eyes.State {
    /// By what a sleeper is woken, after `wakes by`.
    package func words(samplingEach span: TimeSpan) -> String {
        switch self {
        case .closed: "nothing: it runs"
        case .planning: "its sockets, which are being listed"
        case .watching(let watching):
            watching.hasEventPoll
                ? watching.count == 1
                    ? "whatever its epoll instance waits for"
                    : "whatever its epoll instances wait for (\(watching.count) descriptors)"
                : watching.count == 1 ? "its socket" : "its \(watching.count) sockets and pipes"
        case .sampling(let shortfall):
            "its sockets, looked at every \(span.microseconds / 1000) ms: \(shortfall.words)"
        case .blind(let why): why.inWords
        }
    }
}

extension EyePlan.Shortfall {
    /// Why sockets are sampled, and what mends that.
    package var words: String {
        switch self {
        case .refused:
            "the kernel refuses to duplicate its descriptors (pidfd_getfd); 'torpor doctor' shows what allows it"
        case .tooMany(let count, let limit):
            "it has \(count) descriptors, more than DescriptorsMax=\(limit)"
        case .noDescriptors: "the supervisor has no free descriptors; raise its LimitNOFILE="
        }
    }
}

extension EyePlan.Blindness {
    /// That no socket wakes it, and why, after `wakes by`.
    package var inWords: String { "no socket of its own: \(words)" }

    /// Why nothing is watched.
    package var words: String {
        switch self {
        case .notWanted: "Wake= of its file"
        case .nothingToWatch: "it has none, and reads from no pipe"
        case .nothingCounts: "none of what it has open counts (WakeOn=, Wake=)"
        case .unreadable: "neither its descriptors nor the sockets of this machine may be listed"
        }
    }
}
