package import ControlAPI

/// What `torpor reload` shows.
package struct ReloadView {
    private let reply: SupervisorInterface.Reload.Reply

    /// A view of `reply`.
    package init(_ reply: SupervisorInterface.Reload.Reply) {
        self.reply = reply
    }

    /// What was taken over, a line for each kind; one line where nothing changed.
    package func rendered(_ style: Style) -> String {
        var text = ""
        for (kind, names) in [("changed", reply.changed), ("new", reply.added), ("removed", reply.removed)] {
            if !names.isEmpty { text += "\(kind): \(names.map(\.printable).joined(separator: " "))\n" }
        }
        if reply.settingsChanged ?? false { text += "changed: settings of torpord.conf\n" }
        guard style.hasLegend else { return text }
        if !reply.changed.isEmpty {
            text +=
                "A running worker takes a changed command, environment or hook with its next launch: "
                + "'torpor restart NAME'.\n"
        }
        if !reply.removed.isEmpty { text += "A removed worker that runs is kept until it ends.\n" }
        return text.isEmpty ? "Nothing changed.\n" : text
    }

    /// What was not taken over, for standard error.
    package var failures: [Failure] {
        reply.failed.map { Failure(.configuration, $0.sentence) }
    }

    /// What was ignored in files that count nevertheless, for standard error.
    package var warnings: [String] {
        reply.warnings.map { "warning: \($0.sentence)".printable }
    }
}

extension SupervisorInterface.Diagnostic {
    /// `FILE:LINE: KEY=: message (WORKER)`.
    var sentence: String {
        var text = file
        if let line { text += ":\(line)" }
        text += ": "
        // The message of a diagnostic that was made of one line may have the key already.
        if let key, !key.isEmpty, !message.hasPrefix("\(key)=") { text += "\(key)=: " }
        return text + message
    }
}
