import Budgeting
import Lifecycle
import Testing
import WorkerFile

@testable import Standalone

@Suite struct `Background modes of torpor run` {
    /// Options and their values, and what is wrong with them; nil where nothing is.
    private static let rows: [(options: [(String, String)], problem: String?)] = [
        ([], nil),
        ([("--mode", "remote-notification")], nil),
        ([("--mode", "fetch,remote-notification"), ("--on", "performFetch=exec:/bin/true")], nil),
        (
            [
                ("--mode", "fetch"), ("--on", "performFetch=signal:HUP"), ("--fetch-interval", "15min"),
                ("--wake-budget", "6 1min"),
            ], nil
        ),
        ([("--mode", "fetch")], "--mode fetch requires --on performFetch=ACTION"),
        ([("--on", "performFetch=signal:HUP")], "--on performFetch= requires --mode fetch"),
        (
            [("--on", "performProcessing=signal:HUP")],
            "--on performProcessing= is not for torpor run: a worker file has it (Modes=processing)"
        ),
        ([("--fetch-interval", "1h")], "--fetch-interval requires --mode fetch"),
        (
            [("--mode", "remote-notification"), ("--fetch-interval", "1h")],
            "--fetch-interval requires --mode fetch"
        ),
        (
            [("--wake-budget", "3")],
            "--wake-budget requires --mode fetch or --mode remote-notification"
        ),
        (
            [("--mode", "fetch,often")],
            "invalid --mode “often”; expected fetch or remote-notification"
        ),
        ([("--mode", "")], "invalid --mode “”; expected fetch or remote-notification"),
        (
            [("--mode", "continuous")],
            "--mode continuous is not for torpor run: without --idle the command is not suspended at all"
        ),
        (
            [("--mode", "transfer")],
            "--mode transfer is not for torpor run: the end of a transfer always wakes the command"
        ),
        (
            [("--mode", "device")],
            "--mode device is not for torpor run: a worker file has it (Modes=device), with the directives that belong to it"
        ),
        (
            [("--fetch-interval", "soon")],
            "invalid --fetch-interval soon; expected a time span such as 15min or 1h"
        ),
        (
            [("--fetch-interval", "0")],
            "invalid --fetch-interval 0; expected a time span such as 15min or 1h"
        ),
    ]

    private func read(_ options: [(String, String)]) throws -> RunBackground {
        var background = RunBackground()
        var callbacks = RunCallbacks()
        for (option, value) in options {
            switch option {
            case "--mode": try background.add(mode: value)
            case "--fetch-interval": try background.set(fetchInterval: value)
            case "--wake-budget": try background.set(wakeBudget: value)
            default: try callbacks.add(on: value)
            }
        }
        try background.check(with: callbacks)
        return background
    }

    @Test func `are refused where they mean nothing, in one line that says what to do`() {
        for (options, problem) in Self.rows {
            do {
                _ = try read(options)
                #expect(problem == nil, "\(options)")
            } catch {
                #expect("\(error)" == problem, "\(options)")
            }
        }
    }

    @Test func `add up, with the defaults of a worker file`() throws {
        #expect(RunBackground().background == WorkerDefinition.Background())
        let read = try read([
            ("--mode", "fetch"), ("--mode", "remote-notification"), ("--on", "performFetch=signal:HUP"),
            ("--wake-budget", "6 1min"),
        ])
        #expect(read.background.modes == [.fetch, .remoteNotification])
        #expect(read.background.fetchInterval == .seconds(3600))
        #expect(read.background.wakeBudget == .limited(wakes: 6, awake: .seconds(60)))
    }

    @Test func `a bad budget is told as that of a worker file`() {
        #expect(throws: (any Error).self) { try read([("--wake-budget", "many")]) }
        do {
            _ = try read([("--wake-budget", "many")])
        } catch {
            #expect("\(error)".hasPrefix("invalid --wake-budget “many”; expected a number of wakes"))
        }
    }
}
