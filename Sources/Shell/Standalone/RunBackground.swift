internal import Budgeting
internal import ConfigurationSyntax
internal import Lifecycle
package import WorkerFile

/// What `--mode`, `--fetch-interval` and `--wake-budget` of `torpor run` say, by the rules of a worker file's `[Background]`.
package struct RunBackground: Hashable, Sendable {
    /// What was read so far.
    package private(set) var background = WorkerDefinition.Background()
    private var hasInterval = false
    private var hasBudget = false

    /// Nothing: no event wakes the command into the background.
    package init() {}

    /// Reads one `MODE[,MODE…]` of `--mode`.
    package mutating func add(mode text: String) throws(Problem) {
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let mode: BackgroundMode
            do throws(ValueError) {
                mode = try BackgroundMode(parsing: String(word))
            } catch {
                throw Problem("invalid --mode “\(word)”; expected fetch or remote-notification")
            }
            if let refusal = Self.refusal(of: mode) {
                throw Problem("--mode \(mode.rawValue) is not for torpor run: \(refusal)")
            }
            background.modes.insert(mode)
        }
    }

    /// Why one command without a file cannot have a mode; nil where it can.
    private static func refusal(of mode: BackgroundMode) -> String? {
        switch mode {
        case .fetch, .remoteNotification: nil
        case .continuous: "without --idle the command is not suspended at all"
        case .transfer: "the end of a transfer always wakes the command"
        case .processing, .device, .path:
            "a worker file has it (Modes=\(mode.rawValue)), with the directives that belong to it"
        }
    }

    /// Reads the `TIME` of `--fetch-interval`.
    package mutating func set(fetchInterval text: String) throws(Problem) {
        guard let interval = try? TimeSpan(parsing: text), interval > .zero else {
            throw Problem(
                "invalid --fetch-interval \(text); expected a time span such as 15min or 1h")
        }
        background.fetchInterval = interval
        hasInterval = true
    }

    /// Reads the value of `--wake-budget`.
    package mutating func set(wakeBudget text: String) throws(Problem) {
        do throws(ValueError) {
            background.wakeBudget = try WakeAllowance(parsing: text)
        } catch {
            throw Problem(error.said(of: "--wake-budget", text))
        }
        hasBudget = true
    }

    /// Throws what does not fit together, with what is done for callbacks.
    package func check(with callbacks: RunCallbacks) throws(Problem) {
        let fetches = background.modes.contains(.fetch)
        let isCalled = callbacks.hears(.performFetch)
        if fetches, !isCalled { throw Problem("--mode fetch requires --on performFetch=ACTION") }
        if isCalled, !fetches { throw Problem("--on performFetch= requires --mode fetch") }
        if callbacks.hears(.performProcessing) {
            throw Problem(
                "--on performProcessing= is not for torpor run: a worker file has it (Modes=processing)")
        }
        if hasInterval, !fetches { throw Problem("--fetch-interval requires --mode fetch") }
        if hasBudget, background.modes.isEmpty {
            throw Problem("--wake-budget requires --mode fetch or --mode remote-notification")
        }
    }

    /// The definition that says the same.
    var definition: WorkerDefinition {
        var definition = WorkerDefinition()
        definition.background = background
        return definition
    }

    /// Whether no event may wake the command into the background, so that low-power mode would reduce nothing.
    var isEmpty: Bool { background.modes.isEmpty }

    /// An option that does not say anything that can be done.
    package struct Problem: Error, CustomStringConvertible {
        /// What is wrong, and what was expected.
        package let description: String

        fileprivate init(_ description: String) { self.description = description }
    }
}
