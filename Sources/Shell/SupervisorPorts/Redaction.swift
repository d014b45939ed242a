package import ConfigurationSyntax
internal import WorkerFile

extension Sequence<String> {
    /// The lines with all that the patterns mean blanked (`SnapshotRedact=`).
    ///
    /// It takes a bounded number of steps, whatever was printed: what they do not suffice for is blanked as a whole.
    package func redacted(by patterns: [OutputPattern], steps budget: Int = 1_000_000) -> [String] {
        var steps = budget
        return map { line in patterns.reduce(line) { $1.redact($0, steps: &steps) } }
    }
}
