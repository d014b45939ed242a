package import ControlAPI
internal import Lifecycle

/// Which records of ended processes are wanted, and how they are read: in as many calls as it takes.
package struct ReportReading {
    /// The causes that a record may have.
    package static var allCauses: [String] { TerminationRecord.Cause.allCases.map(\.rawValue) }

    private let name: String?
    private let since: Int64?
    private let until: Int64?
    private let causes: Set<String>
    private let most: Int
    private let withOutput: Bool

    /// The newest `most` records of the workers that `name` means, or of all; of the given causes, if there are any, and of the time from
    /// `since` to `until`.
    package init(
        name: String?, since: Int64? = nil, until: Int64? = nil, causes: Set<String> = [], most: Int,
        withOutput: Bool = true
    ) {
        self.name = name
        self.since = since
        self.until = until
        self.causes = causes
        self.most = most
        self.withOutput = withOutput
    }

    private var isPlain: Bool { since == nil && until == nil && causes.isEmpty }

    /// Reads from the newest record back, and answers those that are wanted, in the order in which the processes ended.
    package func read(
        over transport: inout some ControlTransport
    ) throws(Failure) -> SupervisorInterface.Report.Reply {
        typealias Report = SupervisorInterface.Report
        var pages: [[SupervisorInterface.TerminationReport]] = []
        var reply = Report.Reply(reports: [], hasOlder: true)
        var left = most
        var before: Int64?
        repeat {
            let limit = isPlain ? min(left, Report.limits.most) : Report.limits.most
            reply = try transport.call(
                Report.self, .init(names: name.map { [$0] }, before: before, limit: Int64(limit)))
            let all = reply.reports
            let page = all.filter(isWanted).suffix(left)
            pages.append(page.map { withOutput ? $0 : $0.withoutOutput })
            left -= page.count
            before = all.first?.id
            // The clock may have been set back; for longer than a page it seldom was.
            guard all.contains(where: { $0.termination.at >= since ?? .min }) else { break }
        } while left > 0 && reply.hasOlder
        reply.reports = Array(pages.reversed().joined())
        return reply
    }

    private func isWanted(_ report: SupervisorInterface.TerminationReport) -> Bool {
        let end = report.termination
        return end.at >= since ?? .min && end.at <= until ?? .max
            && (causes.isEmpty || causes.contains(end.cause))
    }
}

extension SupervisorInterface.TerminationReport {
    fileprivate var withoutOutput: Self {
        var report = self
        report.termination.lastOutput = nil
        return report
    }
}
