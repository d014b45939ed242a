package import ConfigurationSyntax

/// What the files of workers say of each other, against all of them: names that there are not, and circles.
package struct DependencyCheck: Sendable {
    /// Something that is wrong, and with which worker.
    package struct Finding: Hashable, Sendable {
        /// The worker's name.
        package let worker: String
        /// What is wrong.
        package let diagnostic: Diagnostic
    }

    /// What keeps workers from being used.
    package let errors: [Finding]
    /// Names that are ignored.
    package let warnings: [Finding]
    /// The workers that cannot be used as their files have them.
    package let unusable: Set<String>

    /// Checks `workers`; `isDefined` tells whether there is, or could be, a worker of a name besides.
    package init(of workers: [LoadedWorker], isDefined: (String) -> Bool) {
        let naming = workers.contains { !Dependencies($0.definition).isEmpty }
        guard naming else {
            errors = []
            warnings = []
            unusable = []
            return
        }
        let nodes = Dictionary(
            workers.map { ($0.name.text, Dependencies($0.definition)) },
            uniquingKeysWith: { first, _ in first })
        let files = Dictionary(
            workers.map { ($0.name.text, $0.files.first ?? $0.name.fileName) },
            uniquingKeysWith: { first, _ in first })
        let graph = DependencyGraph(nodes)
        var errors: [Finding] = []
        var warnings: [Finding] = []
        for problem in graph.problems(isDefined: isDefined) {
            let finding = Finding(
                worker: problem.worker,
                diagnostic: Diagnostic(
                    problem.isError ? .error : .warning, file: files[problem.worker] ?? problem.worker,
                    key: problem.key, problem: problem.error.problem, expected: problem.error.expected))
            if problem.isError { errors.append(finding) } else { warnings.append(finding) }
        }
        self.errors = errors
        self.warnings = warnings
        unusable = graph.unusable
    }
}
