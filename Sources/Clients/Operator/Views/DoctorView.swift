package import ControlAPI

/// What `torpor doctor` shows.
package struct DoctorView {
    private let findings: [SupervisorInterface.Finding]

    /// A view of `findings`.
    package init(_ findings: [SupervisorInterface.Finding]) {
        self.findings = findings
    }

    /// One line for each finding, and under each gap the line that mends it.
    package func rendered(_ style: Style) -> String {
        let width = findings.reduce(0) { max($0, $1.capability.printable.columns) }
        var text = ""
        for finding in findings {
            let name = finding.capability.printable
            let mark =
                finding.available
                ? style.paint(style.isUnicode ? "✓" : "+", .good)
                : style.paint(style.isUnicode ? "✗" : "-", .bad)
            let padding = String(repeating: " ", count: width - name.columns)
            text += "\(mark) \(name)\(padding)  \(finding.detail.printable)\n"
            if let remedy = finding.remedy {
                text += String(repeating: " ", count: width + 4)
                text += style.paint("\(style.arrow) \(remedy.printable)", .attention) + "\n"
            }
        }
        guard style.hasLegend else { return text }
        let gaps = findings.count { !$0.available }
        return text + "\n" + (gaps == 0 ? "Nothing is missing.\n" : "\(count(gaps, "gap")).\n")
    }
}
