// The fuzz target for scenarios: whatever is written in one, it is read or refused, and what was read can be lived.

import ConfigurationSyntax
import Lifecycle
import Simulation
import WorkerFile

/// A file system of one worker's file, so that `File=` has something to find.
private struct OneFile: FileSource {
    static let worker = Array("[Worker]\nExecStart=/bin/true\nType=app\n[Foreground]\nIdleSec=1min\n".utf8)

    func names(in directory: String) throws(FileSourceError) -> [String] { [] }

    func kind(of path: String) throws(FileSourceError) -> FileKind? { .file }

    func read(_ path: String, limit: Int) throws(FileSourceError) -> [UInt8] { Self.worker }
}

/// One input: one scenario, of which the first moments are lived twice in the same way.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzScenario(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let reading = ScenarioReading("fuzz.scenario", bytes, from: OneFile())
    precondition((reading.scenario == nil) == !reading.problems.isEmpty, "neither read nor refused")
    for problem in reading.problems {
        precondition(!problem.description.utf8.contains { $0 < 0x20 }, "a broken line")
    }
    // Thousands of workers are slow, and no other than a few.
    guard let scenario = reading.scenario, scenario.workers.count <= 16 else { return 0 }
    var (first, second) = (World(scenario, mostSteps: 500), World(scenario, mostSteps: 500))
    var before = Instant.zero
    while let step = first.next() {
        precondition(step == second.next(), "lived otherwise the second time")
        precondition(step.at >= before, "time goes back")
        before = step.at
    }
    precondition(second.next() == nil)
    return 0
}
