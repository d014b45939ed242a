package import ControlAPI

/// What `torpor report --list` shows: a line for each process that ended, as coredumpctl list has it.
package struct ReportListView {
    private let reports: [SupervisorInterface.TerminationReport]
    private let clock: WallClock

    /// A view of `reports`, in the order in which the processes ended.
    package init(_ reports: [SupervisorInterface.TerminationReport], at clock: WallClock) {
        self.reports = reports
        self.clock = clock
    }

    /// The table, and how many there are.
    package func rendered(_ style: Style) -> String {
        var table = Table([
            .init(title: "TIME"), .init(title: "NAME"), .init(title: "PID", isNumber: true),
            .init(title: "CAUSE"), .init(title: "STATUS"), .init(title: "RAN", isNumber: true),
            .init(title: "PEAK", isNumber: true), .init(title: "REQUESTED BY"),
        ])
        for report in reports { table.append(row(report, style.users)) }
        guard style.hasLegend else { return table.rendered(style) }
        return table.rendered(style) + "\n"
            + "\(reports.count) process\(reports.count == 1 ? "" : "es") listed.\n"
    }

    private func row(
        _ report: SupervisorInterface.TerminationReport, _ users: UserNames
    ) -> [Table.Cell] {
        let end = report.termination
        let status = end.signal ?? end.exitStatus.map { "\($0)" } ?? end.code
        return [
            .init(clock.stamp(end.at)), .init(report.worker), end.pid > 0 ? .init("\(end.pid)") : .none,
            .init(end.cause, end.isHarmless ? nil : .bad), status.map { .init($0) } ?? .none,
            .init(span(end.runUsec)), end.peakMemoryBytes.map { .init(size($0)) } ?? .none,
            end.requestedBy.map { .init($0.words(users)) } ?? .none,
        ]
    }
}
