import ControlAPI
internal import Launching
import Linux
import Operator

/// What workers printed whose output does not pass through the supervisor.
extension Session {
    /// How long a program may take that reads it, in microseconds.
    private static let patience: Int64 = 3_000_000

    /// The last so many lines of what is at `place`, until `end`; none where it cannot be read by the caller, nor on another machine.
    func lines(at place: String?, _ count: Int, until end: Int64? = nil) -> [String] {
        guard let place, host == nil else { return [] }
        let words = LogPlace(place).command(following: false, .newest(count), before: end)
        guard let bytes = Subcommand(words).output(within: Self.patience) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(count).map(String.init)
    }

    /// Says what went wrong with workers, and what those printed last that have ended instead.
    mutating func report(_ outcome: GoalOutcome) {
        for failure in outcome.failures {
            console.report(failure)
            for line in outcome.output(of: failure) { console.note(line) }
        }
        for result in outcome.results where result.state == .notRunning && !result.reached {
            guard result.lastOutput == nil else { continue }
            for line in lastWordsElsewhere(of: result.name) { console.note("  | \(line)") }
        }
    }

    /// The last lines of a worker that has failed and whose output goes elsewhere; none of any other.
    mutating func lastWordsElsewhere(of name: String, _ count: Int = 5) -> [String] {
        guard let worker = try? call(SupervisorInterface.Describe.self, .init(name: name)).worker,
            worker.reason == .failed || worker.reason == .backingOff,
            worker.lastTermination?.cause != "launchFailed"
        else { return [] }
        return lines(at: worker.outputTo, count)
    }
}
