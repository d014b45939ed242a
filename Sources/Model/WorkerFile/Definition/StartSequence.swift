package import ConfigurationSyntax

/// What of the commands of a worker's file runs when it is launched, in which order (systemd.service(5)).
///
/// Of a oneshot worker all are one sequence, and the last of them is the main process: it is ready when that has ended.
package struct StartSequence: Hashable, Sendable {
    /// A command of the sequence, and the directive that it stands in.
    package struct Step: Hashable, Sendable {
        /// The directive's key.
        package let key: String
        /// The command.
        package let command: Command

        /// `command` as a line of `key`.
        package init(_ key: String, _ command: Command) {
            self.key = key
            self.command = command
        }
    }

    /// The key of the commands that do what the worker is for.
    package static let mainKey = "ExecStart"

    /// What runs before the main process, each when the one before it has succeeded.
    package let before: [Step]
    /// The main process; nil where the definition has none.
    package let main: Command?
    /// What runs when the main process is ready, before the launch is complete.
    package let after: [Step]

    /// The sequence that `definition` describes.
    package init(_ definition: WorkerDefinition) {
        let pre = definition.startPreCommands.map { Step("ExecStartPre", $0) }
        let start = definition.startCommands.map { Step(Self.mainKey, $0) }
        let post = definition.startPostCommands.map { Step("ExecStartPost", $0) }
        guard definition.type == .oneshot, !start.isEmpty else {
            before = pre
            main = definition.startCommands.last
            after = post
            return
        }
        let all = pre + start + post
        before = Array(all.dropLast())
        main = all.last?.command
        after = []
    }
}

extension WorkerDefinition {
    /// What its main process runs; nil where there is none.
    ///
    /// Setting it replaces every `ExecStart=`.
    package var command: Command? {
        get { StartSequence(self).main }
        set { startCommands = newValue.map { [$0] } ?? [] }
    }
}
