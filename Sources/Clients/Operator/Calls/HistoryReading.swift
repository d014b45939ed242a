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

/// Which entries of the history are wanted.
package struct HistoryFilter: Hashable, Sendable {
    /// Names of workers, or shell patterns; nil is all.
    package var names: [String]?
    /// Nothing before this moment, in microseconds since 1970.
    package var since: Int64?
    /// Nothing after this moment.
    package var until: Int64?
    /// Only these kinds; empty is all.
    package var kinds: Set<SupervisorInterface.HistoryKind>
    /// Only these reasons; empty is all.
    package var reasons: Set<String>

    /// A filter; without arguments everything passes.
    package init(
        names: [String] = [], since: Int64? = nil, until: Int64? = nil,
        kinds: Set<SupervisorInterface.HistoryKind> = [], reasons: Set<String> = []
    ) {
        self.names = names.isEmpty ? nil : names
        self.since = since
        self.until = until
        self.kinds = kinds
        self.reasons = reasons
    }

    /// Whether `entry`, which the supervisor has chosen by name and beginning, passes.
    package func passes(_ entry: SupervisorInterface.HistoryEntry) -> Bool {
        (until.map { entry.at <= $0 } ?? true) && (kinds.isEmpty || kinds.contains(entry.kind))
            && (reasons.isEmpty || reasons.contains(entry.reason))
    }
}

/// What `torpor history` asks for, in as many calls as it takes.
///
/// The order is that of the numbers, in which things happened: a clock that was set back does not change it.
package struct HistoryReading {
    private typealias History = SupervisorInterface.History

    private let filter: HistoryFilter
    private let lines: LineCount

    /// The newest `lines` of the entries that pass `filter`.
    package init(_ filter: HistoryFilter, lines: LineCount) {
        self.filter = filter
        self.lines = lines
    }

    /// How many pages are held at once; those that do not fit are read again when their turn comes.
    private static let mostHeld = 8

    /// Where a page was read, and the entries of it that are wanted, or how many.
    private struct Page {
        let before: Int64?
        let limit: Int
        var entries: [SupervisorInterface.HistoryEntry]?
        let count: Int
    }

    /// Reads all that was asked for, and hands it over in pieces, oldest first, whatever its length: at least one piece, which may be empty.
    package func read(
        over transport: inout some ControlTransport,
        _ receive: (SupervisorInterface.History.Reply) throws(Failure) -> Void
    ) throws(Failure) {
        var pages: [Page] = []
        var left: Int = if case .newest(let count) = lines { count } else { .max }
        var before: Int64?
        var incomplete: String?
        var hasOlder = true
        while left > 0 || pages.isEmpty {
            let limit = min(left, History.limits.most)
            let reply = try transport.call(History.self, parameters(before, limit))
            incomplete = reply.incomplete ?? incomplete
            let entries = reply.entries
            if !entries.isEmpty || pages.isEmpty {
                pages.append(Page(before: before, limit: limit, entries: entries, count: entries.count))
                if pages.count > Self.mostHeld { pages[pages.count - 1 - Self.mostHeld].entries = nil }
            }
            left -= entries.count
            hasOlder = reply.hasOlder
            before = reply.nextBefore ?? reply.entries.first?.id
            guard reply.hasOlder, before != nil else { break }
        }
        var piece = History.Reply(entries: [], hasOlder: hasOlder, incomplete: incomplete)
        // Entries that are held go out together, those that are read again by the page.
        while let page = pages.popLast() {
            if let entries = page.entries {
                piece.entries += entries
                if !pages.isEmpty, pages.last?.entries != nil { continue }
            } else {
                let reply = try transport.call(History.self, parameters(page.before, page.limit))
                piece.entries = Array(reply.entries.suffix(page.count))
            }
            try receive(piece)
            piece.entries = []
            piece.hasOlder = true
        }
    }

    /// Reads what was asked for from the newest entry back, and hands over page by page, newest first, until `receive` answers false.
    ///
    /// Returns why the stored history is incomplete, if it is.
    package func readBackwards(
        over transport: inout some ControlTransport,
        _ receive: ([SupervisorInterface.HistoryEntry]) throws(Failure) -> Bool
    ) throws(Failure) -> String? {
        var before: Int64?
        while true {
            let reply = try transport.call(History.self, parameters(before, History.limits.most))
            before = reply.nextBefore ?? reply.entries.first?.id
            let goesOn = try receive(reply.entries.reversed())
            guard goesOn, reply.hasOlder, before != nil else { return reply.incomplete }
        }
    }

    private func parameters(_ before: Int64?, _ limit: Int) -> SupervisorInterface.History.Parameters {
        .init(
            names: filter.names, since: filter.since, until: filter.until,
            kinds: filter.kinds.isEmpty ? nil : filter.kinds.sorted { $0.rawValue < $1.rawValue },
            reasons: filter.reasons.isEmpty ? nil : filter.reasons.sorted(), before: before,
            limit: Int64(limit))
    }
}

/// What `torpor history --follow` has shown, and what is new since.
package struct HistoryFollowing {
    private let filter: HistoryFilter
    private var last: Int64?

    /// Continues behind entry `last`; nil where there was none.
    package init(_ filter: HistoryFilter, after last: Int64?) {
        self.filter = filter
        self.last = last
    }

    /// The entries since the one before, oldest first; of very many the newest 10 000.
    package mutating func news(
        over transport: inout some ControlTransport
    ) throws(Failure) -> [SupervisorInterface.HistoryEntry] {
        typealias History = SupervisorInterface.History
        var news: [SupervisorInterface.HistoryEntry] = []
        var before: Int64?
        var limit = 10
        repeat {
            let reply = try transport.call(
                History.self,
                .init(names: filter.names, since: filter.since, before: before, limit: Int64(limit)))
            let page = reply.entries.filter { $0.id > last ?? 0 }
            news.insert(contentsOf: page, at: 0)
            before = page.first?.id
            limit = History.limits.most
            guard page.count == reply.entries.count, reply.hasOlder else { break }
        } while before != nil && news.count < 10_000
        last = news.last?.id ?? last
        return news.filter(filter.passes)
    }
}
