/// A command of a worker's file that belongs to no callback (systemd.service(5)): a line of `ExecStartPre=`, `ExecStartPost=` or
/// `ExecReload=`, or one of a oneshot worker's that is not its main process.
public struct ServiceCommand: Hashable, Sendable, CustomStringConvertible {
    /// When it is run.
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        /// Before the main process.
        case startPre
        /// When the main process is ready.
        case startPost
        /// When an operator wants the worker to read its configuration anew.
        case reload
    }

    /// When it is run.
    public let phase: Phase
    /// Its place among those of its phase.
    public let index: Int
    /// The directive that it stands in.
    public let key: String
    /// Its program.
    public let program: String
    /// Its program and its arguments, as a shell would take them.
    public let line: String
    /// Whether its failure counts as a success (`-`).
    public let ignoresFailure: Bool

    /// A command, by its parts; without `arguments` it has none.
    public init(
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
    public var description: String { "\(key)=\(line)" }

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
public struct ServiceCommands: Hashable, Sendable {
    /// Those before the main process.
    public var startPre: [ServiceCommand]
    /// Those when it is ready.
    public var startPost: [ServiceCommand]
    /// Those that reload it.
    public var reload: [ServiceCommand]

    /// None, unless said otherwise.
    public init(
        startPre: [ServiceCommand] = [], startPost: [ServiceCommand] = [], reload: [ServiceCommand] = []
    ) {
        self.startPre = startPre
        self.startPost = startPost
        self.reload = reload
    }

    /// Whether there is none.
    public var isEmpty: Bool { startPre.isEmpty && startPost.isEmpty && reload.isEmpty }
}
