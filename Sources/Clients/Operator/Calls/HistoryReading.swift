package import ControlAPI

/// How many lines `-n` asks for.
package enum LineCount: Hashable, Sendable {
    /// The newest so many.
    case newest(Int)
    /// All there are.
    case all

    /// Reads a number or `all`.
    package init?(parsing text: String) {
        if text == "all" {
            self = .all
        } else if let number = Int(text), number >= 0, text.first != "+" {
            self = .newest(number)
        } else {
            return nil
        }
    }
}

/// What `torpor history` asks for, in as many calls as it takes.
package struct HistoryReading {
    private let names: [String]?
    private let since: Int64?
    private let lines: LineCount

    /// The newest `lines` of the history of `names`, or of all workers; nothing before `since`.
    package init(names: [String], since: Int64?, lines: LineCount) {
        self.names = names.isEmpty ? nil : names
        self.since = since
        self.lines = lines
    }

    /// Reads from the newest entry back, and answers all that was asked for, oldest first.
    package func read(
        over transport: inout some ControlTransport
    ) throws(Failure) -> SupervisorInterface.History.Reply {
        typealias History = SupervisorInterface.History
        var pages: [[SupervisorInterface.HistoryEntry]] = []
        var reply = History.Reply(entries: [], hasOlder: true)
        var left: Int = if case .newest(let count) = lines { count } else { .max }
        var before: Int64?
        repeat {
            reply = try transport.call(
                History.self,
                .init(
                    names: names, since: since, before: before,
                    limit: Int64(min(left, History.limits.most))))
            pages.append(reply.entries)
            left -= reply.entries.count
            before = reply.entries.first?.id
        } while left > 0 && reply.hasOlder && !reply.entries.isEmpty
        reply.entries = Array(pages.reversed().joined())
        return reply
    }
}
