internal import Lifecycle

/// The workers that are warned that memory is short, in order.
enum WarningOrder {
    /// Those that may be told now: the lowest band first, and bigger ones first within it.
    static func ranked(
        _ candidates: [PressureCandidate], warned: [String: Instant], _ settings: PressureSettings,
        at now: Instant
    ) -> [PressureCandidate] {
        candidates
            .filter { mayBeTold($0, warned: warned[$0.name], settings, at: now) }
            .sorted { a, b in
                if a.band != b.band { return a.band < b.band }
                if a.memory.resident != b.memory.resident { return a.memory.resident > b.memory.resident }
                return a.name < b.name
            }
    }

    /// Those of `over` that hear that it is over: the highest band first, and smaller ones first within it, since what is free again
    /// is for what is in use.
    static func relieved(_ candidates: [PressureCandidate], _ over: Set<String>) -> [PressureCandidate] {
        candidates
            .filter { over.contains($0.name) && $0.band.isRunning && !$0.isEnding && $0.hearsLevels }
            .sorted { a, b in
                if a.band != b.band { return a.band > b.band }
                if a.memory.resident != b.memory.resident { return a.memory.resident < b.memory.resident }
                return a.name < b.name
            }
    }

    /// Never one that sleeps, ends, holds next to nothing, could not hear it, or was told a moment ago.
    static func mayBeTold(
        _ candidate: PressureCandidate, warned: Instant?, _ settings: PressureSettings, at now: Instant
    ) -> Bool {
        guard candidate.band.isRunning, !candidate.isEnding, candidate.hearsWarnings,
            candidate.memory.resident >= settings.leastWarned
        else { return false }
        return warned.map { now - $0 >= settings.warningPause } ?? true
    }
}
