package import ControlAPI
internal import ControlServer
internal import Glibc
internal import History
internal import Lifecycle
internal import Varlink

/// A worker's file that does not hold, so that there is no such worker.
package struct BadSetting {
    /// What is wrong with it.
    let diagnostic: SupervisorInterface.Diagnostic
    /// When it was found.
    let since: Instant
}

/// Workers that would be there if their files held: they are listed, with what is wrong.
extension OperatorService {
    /// Those that one of `patterns` names or matches, by name; all where there are no patterns.
    func summariesOfBadSettings(_ patterns: [String]?, for peer: Peer) -> [API.WorkerSummary] {
        badSettings.filter { name, _ in
            guard registry[name] == nil else { return false }
            return patterns?.contains {
                $0 == name || WorkerRegistry.isPattern($0) && fnmatch($0, name, 0) == 0
            } ?? true
        }.map { name, bad in
            API.WorkerSummary(
                // The line may quote what the file says, which is not for all.
                name: name, description: peer.isOperator ? bad.diagnostic.oneLine : nil, state: .notRunning,
                since: WallClock.microseconds(of: bad.since, now: now), goal: .notRunning,
                reason: .badSetting,
                held: false)
        }.sorted { $0.name < $1.name }
    }

    /// What is wrong with the file of that name, where that is why there is no such worker.
    func badSetting(_ name: String) -> API.Diagnostic? {
        registry[name] == nil ? badSettings[name]?.diagnostic : nil
    }

    /// Fails where the file of the worker does not hold.
    func requireGoodSetting(_ name: String, for peer: Peer) throws(MethodError) {
        if let error = badDefinition(of: name, isForOperator: peer.isOperator) { throw error }
    }

    /// Why there is no worker where an operator names one: its file does not hold, or that is no name; else there is none.
    func missing(_ name: String, isForOperator: Bool = true) -> MethodError {
        if let error = badDefinition(of: name, isForOperator: isForOperator) { return error }
        if WorkerRegistry.isPattern(name) {
            return API.invalidName(name: name, why: "it is a pattern, but a single name is required")
        }
        return API.noSuchWorker(name: name)
    }

    /// What is wrong with the file of a worker, where it does not hold.
    private func badDefinition(of name: String, isForOperator: Bool) -> MethodError? {
        guard let found = badSetting(name) else { return nil }
        guard isForOperator else {
            return API.badDefinition(name: name, message: "its file is invalid")
        }
        return API.badDefinition(
            name: name, message: found.message, file: found.file, line: found.line, key: found.key)
    }

    /// Notes which files do not hold, after all have been read.
    package func takeBadSettings(_ failed: [API.Diagnostic]) {
        let before = badSettings
        badSettings = [:]
        for entry in registry.all { entry.fileProblem = nil }
        for diagnostic in failed {
            guard let name = diagnostic.worker else { continue }
            // One without a file has none that could be invalid: this would be of another worker, when that one is gone.
            if let entry = registry[name], !entry.isTransient {
                // The first thing that is wrong is the one to mend.
                if entry.fileProblem == nil { entry.fileProblem = diagnostic.oneLine }
                continue
            }
            guard badSettings[name] == nil else { continue }
            badSettings[name] = BadSetting(diagnostic: diagnostic, since: before[name]?.since ?? now)
        }
        for entry in registry.all where entry.isOrphaned && entry.fileProblem == nil {
            entry.fileProblem = Self.removed
        }
        forOthers.generation &+= 1
    }

    /// Notes that no file defines a worker that is led to its end; what is wrong with its file is told of it, and not beside it.
    package func noteOrphan(_ entry: RegisteredWorker) {
        entry.isOrphaned = true
        entry.fileProblem = badSettings.removeValue(forKey: entry.name)?.diagnostic.oneLine ?? Self.removed
    }

    private static let removed = "its file was removed; the worker is removed when it has ended"
}
