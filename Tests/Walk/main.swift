import Foundation
import Glibc
import ShellWalk

// walk [--seed N] [--seeds COUNT] [--steps N] [--seconds N] [--lines N]
//
// Walks the whole shell on a simulated machine from one seed after another. The same seed takes the same steps: it prints the same hash.

/// Without this the order of sets and dictionaries differs from run to run, and so does what happens.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    execv("/proc/self/exe", CommandLine.unsafeArgv)
}

/// Lines leave at once.
func say(_ text: String) {
    print(text)
    fflush(nil)
}

func option(_ name: String) -> Int? {
    guard let index = CommandLine.arguments.firstIndex(of: name), index + 1 < CommandLine.arguments.count
    else { return nil }
    return Int(CommandLine.arguments[index + 1])
}

let first = UInt64(option("--seed") ?? 1)
let steps = option("--steps") ?? 100_000
let seeds = UInt64(option("--seeds") ?? 1)
let end = option("--seconds").map { Date().addingTimeInterval(Double($0)) }
let lines = option("--lines") ?? 100

/// A trap says where it was.
for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT] {
    signal(number) { number in
        let words = "trapped: signal \(number), seed \(progress.seed), step \(progress.step)\n"
        _ = words.withCString { write(2, $0, strlen($0)) }
        signal(number, SIG_DFL)
        raise(number)
    }
}

func walk(_ seed: UInt64, lines: Int) throws -> Walk {
    // In memory where that can be had: nothing of it is to outlast the walk.
    let memory = "/dev/shm"
    let place =
        FileManager.default.isWritableFile(atPath: memory)
        ? URL(filePath: memory) : FileManager.default.temporaryDirectory
    let directory = place.appending(path: "walk-\(UUID())").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    progress = Progress(seed: seed)
    let walk = Walk(seed: seed, directory: directory, lines: lines)
    try walk.run(steps)
    return walk
}

var sum = Walk.Figures()
var failures = 0
var seed = first
while end.map({ Date() < $0 }) ?? (seed < first + seeds) {
    do {
        let walk = try walk(seed, lines: 0)
        sum += walk.figures
        if end == nil { say("seed \(seed): \(steps) steps, hash \(String(walk.traceHash, radix: 16))") }
    } catch is Walk.Failure {
        failures += 1
        // Once more, with its lines.
        do { _ = try walk(seed, lines: lines) } catch { say("\(error)") }
    }
    seed += 1
}
say(
    """
    \(seed - first) seeds from \(first), \(sum.steps) steps, \(failures) failures: \(sum.launches) launches, \(sum.ends) ends, \
    \(sum.kills) kills (\(sum.killsInCalls) of them within a call), \(sum.handovers) handovers, \(sum.requests) requests, \(sum.calls) calls through sockets, \
    \(sum.posts) posts, \(sum.kept) kept, \(sum.taken) taken (\(sum.takenAgain) once more), \(sum.reloads) readings of the files, calm \(sum.calms) times
    """)
// What a supervisor has opened goes with it.
let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
if descriptors > 512 { say("\(descriptors) descriptors are open") }
exit(failures == 0 && descriptors <= 512 ? 0 : 1)
