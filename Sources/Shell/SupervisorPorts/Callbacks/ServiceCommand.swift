internal import ConfigurationSyntax
package import Lifecycle
internal import WorkerFile

/// A command of a worker's file that belongs to no callback (systemd.service(5)): a line of `ExecStartPre=`, `ExecStartPost=` or
/// `ExecReload=`, or one of a oneshot worker's that is not its main process.
package struct ServiceCommand: Hashable, Sendable, CustomStringConvertible {
    /// When it is run.
    package enum Phase: String, Hashable, Sendable, CaseIterable {
        /// Before the main process.
        case startPre
        /// When the main process is ready.
        case startPost
        /// When an operator wants the worker to read its configuration anew.
        case reload
        /// When the state of an activity is wanted.
        case userActivity
    }

    /// When it is run.
    package let phase: Phase
    /// Its place among those of its phase.
    package let index: Int
    /// The directive that it stands in.
    package let key: String
    /// Its program.
    package let program: String
    /// Its program and its arguments, as a shell would take them.
    package let line: String
    /// Whether its failure counts as a success (`-`).
    package let ignoresFailure: Bool
    /// Which of its ends count as a success besides status 0: of a oneshot worker's `ExecStart=`, those of `SuccessExitStatus=`.
    package var success = Lifecycle.ExitStatusSet()

    /// A command, by its parts; without `arguments` it has none.
    package init(
        _ phase: Phase, _ index: Int, key: String, program: String, arguments: [String] = [],
        ignoresFailure: Bool = false
    ) {
        self.phase = phase
        self.index = index
        self.key = key
        self.program = program
        line = ([program] + arguments).map(Self.word).joined(separator: " ")
        self.ignoresFailure = ignoresFailure
    }

    /// As its file has it: `ExecStartPre=/usr/bin/install -d /run/app`.
    package var description: String { "\(key)=\(line)" }

    /// A word, in quotes where it could be taken for several.
    private static func word(_ text: String) -> String {
        let isOne =
            !text.isEmpty
            && !text.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: "'") || $0 == UInt8(ascii: "\"") }
        guard !isOne else { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
            + "'"
    }
}

/// The commands of a worker that belong to no callback, in their order.
package struct ServiceCommands: Hashable, Sendable {
    /// Those before the main process.
    package var startPre: [ServiceCommand]
    /// Those when it is ready.
    package var startPost: [ServiceCommand]
    /// Those that reload it.
    package var reload: [ServiceCommand]

    /// None, unless said otherwise.
    package init(
        startPre: [ServiceCommand] = [], startPost: [ServiceCommand] = [], reload: [ServiceCommand] = []
    ) {
        self.startPre = startPre
        self.startPost = startPost
        self.reload = reload
    }

    /// Whether there is none.
    package var isEmpty: Bool { startPre.isEmpty && startPost.isEmpty && reload.isEmpty }
}

extension ServiceCommand {
    /// What is said of a command whose time is over.
    package static func overrun(_ limit: TimeSpan?) -> String {
        "timed out after TimeoutStartSec=\(limit.map { $0.written() } ?? "")"
    }
}
