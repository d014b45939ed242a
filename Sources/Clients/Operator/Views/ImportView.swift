internal import ConfigurationSyntax
package import Importing

/// What `torpor import` shows: the workers, what was not taken over of each, and where they are.
package struct ImportView {
    private let plan: ImportPlan
    private let directory: String
    private let isWritten: Bool

    /// A view of `plan`, whose files are in `directory`, or would be.
    package init(_ plan: ImportPlan, in directory: String, isWritten: Bool) {
        self.plan = plan
        self.directory = directory
        self.isWritten = isWritten
    }

    /// A line for each worker with what was not taken over below, then what belongs to no worker, and a sum.
    package func rendered(_ style: Style) -> String {
        var text = ""
        for worker in plan.workers {
            text += "\(worker.name.fileName)  \(worker.origin.printable)\n"
            for note in worker.notes { text += "  not taken over: \(note.description.printable)\n" }
        }
        for note in plan.notes { text += "not taken over: \(note.description.printable)\n" }
        guard style.hasLegend else { return text }
        let count = plan.workers.count == 1 ? "1 worker" : "\(plan.workers.count) workers"
        let notes = plan.notes.count + plan.workers.reduce(0) { $0 + $1.notes.count }
        let rest = notes == 1 ? "1 setting" : "\(notes) settings"
        text += "\(count); \(rest) not taken over.\n"
        text +=
            isWritten
            ? "Written to \(directory.printable); 'torpor reload' makes the supervisor read it.\n"
            : "Nothing was written.\n"
        return text
    }
}

/// The same as JSON.
package struct ImportReply: Codable, Hashable, Sendable {
    /// A setting that was not taken over.
    package struct Note: Codable, Hashable, Sendable {
        let file: String
        let line: Int?
        let setting: String?
        let reason: String

        init(_ note: ImportNote) {
            file = note.subject.file
            line = note.subject.line > 0 ? note.subject.line : nil
            setting = note.subject.text.isEmpty ? nil : note.subject.text
            reason = note.reason
        }
    }

    /// A worker.
    package struct Worker: Codable, Hashable, Sendable {
        let name: String
        let file: String
        let origin: String
        let notTakenOver: [Note]
    }

    /// The workers that were made, or would be.
    package let workers: [Worker]
    /// What belongs to no worker.
    package let notTakenOver: [Note]
    /// Whether their files were written.
    package let written: Bool

    /// A reply of `plan`, whose files are in `directory`, or would be.
    package init(_ plan: ImportPlan, in directory: String, isWritten: Bool) {
        workers = plan.workers.map { worker in
            Worker(
                name: worker.name.text, file: "\(directory)/\(worker.name.fileName)", origin: worker.origin,
                notTakenOver: worker.notes.map(Note.init))
        }
        notTakenOver = plan.notes.map(Note.init)
        written = isWritten
    }
}
