/// The exit codes of the operator's verbs: those of `systemctl status` and of sysexits.h.
package enum OperatorExit: Int32, CaseIterable, Hashable, Sendable {
    /// All went well.
    case success = 0
    /// `status`: the worker does not run.
    case notRunning = 3
    /// There is no such worker.
    case noSuchWorker = 4
    /// What was asked for makes no sense (EX_USAGE), and will not at another time either.
    case usage = 64
    /// No supervisor runs, or none that understands this client (EX_UNAVAILABLE).
    case unavailable = 69
    /// It did not work now, and may later (EX_TEMPFAIL): a goal out of reach or not reached in time, too many connections.
    case tryAgain = 75
    /// The caller may not do that (EX_NOPERM).
    case notAllowed = 77
    /// A worker's or the daemon's definition does not hold (EX_CONFIG).
    case configuration = 78
}

/// Why a verb did not do what it was asked to do.
package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The exit code that is due.
    package let status: OperatorExit
    /// What was wrong, where, and what to do about it; one line without control characters.
    package let description: String
    /// Whether what is wrong is that no worker has the name.
    package let isNoSuchWorker: Bool

    /// Whether what is wrong is that no supervisor listens.
    package let isNobodyThere: Bool

    /// Whether what is wrong is that this supervisor does not do that: `torpor run` has no files and no daemon, and an older version has fewer methods.
    package let isNotOffered: Bool

    /// Whether the next worker may fare better: not where the supervisor is gone.
    package var isAboutOneWorker: Bool { status != .unavailable }

    /// A failure that `sentence` describes.
    package init(
        _ status: OperatorExit, _ sentence: String, isNoSuchWorker: Bool = false, isNobodyThere: Bool = false,
        isNotOffered: Bool = false
    ) {
        self.isNotOffered = isNotOffered
        self.status = status
        self.isNobodyThere = isNobodyThere
        self.isNoSuchWorker = isNoSuchWorker
        description = sentence.printable
    }

    /// The same; where the caller may not do this, with the caller's own supervisor, whose socket is given, as the one that may be meant.
    package func naming(_ own: String?) -> Failure {
        guard own != nil, status == .notAllowed || isNoSuchWorker else { return self }
        return Failure(
            status,
            "\(description); for the supervisor of the calling user give --user, or set TORPOR_SUPERVISOR=user",
            isNoSuchWorker: isNoSuchWorker, isNobodyThere: isNobodyThere, isNotOffered: isNotOffered)
    }
}
