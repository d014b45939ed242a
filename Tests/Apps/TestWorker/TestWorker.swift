import ControlAPI
import Glibc
import Linux
import Varlink

/// A worker that does what its arguments say, the wrong things too.
///
///     TestWorker [--log FILE] [--socket PATH] [--no-attach] [--callbacks A,B,…]
///                [--start ACTIONS] [--on CALLBACK=ACTIONS]…
///
/// It attaches at `$TORPOR_SOCKET` (or PATH) for all callbacks (or those of `--callbacks`), performs the ACTIONS of
/// `--start`, and those of `--on` for each callback of that name. What has no `--on` is completed at once; willTerminate
/// ends it with status 0. It has no handler for signals. Completions and all other calls go over a second connection,
/// one at a time, so that every answer is seen.
///
/// ACTIONS are separated by commas and done in order:
///
/// | Action | Does |
/// |---|---|
/// | `complete` `refuse` `fail:WHY` `state:TEXT` | answers the callback; with the state `{"text": TEXT}` |
/// | `twice` `stranger` | completes it twice; completes the id 1000000 |
/// | `nothing` | does not answer |
/// | `sleep:MS` | waits before what follows; other callbacks go on |
/// | `block:MS` `spin:MS` | stops everything; uses a whole processor |
/// | `begin:NAME` `begin:NAME:MS` | begins a background task; ends it MS later |
/// | `end` `endTwice` `endForeignChild` | ends the youngest task that has no MS, once or twice; ends the token 1000000 |
/// | `flood:N` | begins N tasks ahead of the answers |
/// | `save:BYTES` | SaveState with so many bytes, streamed over a connection of its own |
/// | `activate` `remaining` `getState` | RequestActivation, BackgroundTimeRemaining, GetState |
/// | `close` `attach` | closes the attached connection; attaches once more |
/// | `log:TEXT` `exit:STATUS` `abort` | writes a line; ends |
///
/// FILE gets one JSON object a line, each with `at` (microseconds of the monotonic clock) and `event`: `start`
/// (`pid`, `environment` with the variables `TORPOR_…`), `attached` (`standing`), `callback` (its fields as they came), `called`
/// (`method`, and `reply` or `error` and `parameters`; `id` with Complete), `flooded` (`begun`, `refused`), `saved`
/// (`sent`, `answer` as text, or null when the connection was closed without one), `detached`, `closed` (`why`),
/// `log` (`text`), `exit` (`status`).
@main
struct TestWorker {
    static func main() {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print("TestWorker: what was asked for cannot be read; the source says what can be")
            exit(64)
        }
        let journal = Journal(options.log)
        var environment: JSON.Object = [:]
        for entry in Environment.current.entries.map(\.description) where entry.hasPrefix("TORPOR_") {
            let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            environment[String(parts[0])] = .string(String(parts.last ?? ""))
        }
        journal.write("start", ["pid": .int(Int64(getpid())), "environment": .object(environment)])
        do {
            try Script(options, journal).run()
        } catch {
            journal.write("failed", ["why": .string("\(error)")])
            exit(69)
        }
    }
}

/// What the arguments say.
struct Options {
    var socket = getenv("TORPOR_SOCKET").map { String(cString: $0) } ?? ""
    var log: String?
    var attaches = true
    var callbacks: [String]?
    var start: [Action] = []
    var rules: [WorkerInterface.CallbackName: [Action]] = [:]

    init?(_ arguments: ArraySlice<String>) {
        var arguments = arguments
        while let name = arguments.popFirst() {
            if name == "--no-attach" {
                attaches = false
                continue
            }
            guard let value = arguments.popFirst() else { return nil }
            switch name {
            case "--log": log = value
            case "--socket": socket = value
            case "--callbacks": callbacks = value.split(separator: ",").map(String.init)
            case "--start":
                guard let actions = Action.list(value[...]) else { return nil }
                start = actions
            case "--on":
                let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, let actions = Action.list(parts[1]),
                    let callback = WorkerInterface.CallbackName(rawValue: String(parts[0]))
                else { return nil }
                rules[callback] = actions
            default: return nil
            }
        }
    }
}
