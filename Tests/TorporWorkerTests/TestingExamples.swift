// The snippets of the article of TorporWorkerTesting, word for word between their marks; a test compares them.

// snippet: life
import Foundation
import Testing
import TorporWorker
import TorporWorkerTesting

@Test func `The gallery goes on where it was`() async throws {
    let supervisor = try TestSupervisor()
    let run = Task { try await supervisor.worker.run(Gallery()) }
    #expect(try await supervisor.launch(.url, restoring: Gallery.State(page: 3)))
    let url = try #require(URL(string: "gallery:7"))
    #expect(try await supervisor.open(url))
    #expect(try await supervisor.enterBackground() == .completed)
    let state = try #require(try await supervisor.saveState())
    #expect(try state.decode(as: Gallery.State.self).page == 3)
    try supervisor.suspend(for: .seconds(3600))
    try await supervisor.activate()
    try await supervisor.terminate()
    try await run.value
}
// end

// snippet: expiry
@Test func `An upload stops shortly before the background time is over`() async throws {
    let supervisor = try TestSupervisor(backgroundTimeLimit: .seconds(600))
    let worker = supervisor.worker
    let run = Task { try await worker.run(Gallery()) }
    try await supervisor.launch()
    let upload = Task {
        try await worker.withBackgroundTask(named: "upload") { try await Task.sleep(for: .seconds(86400)) }
    }
    try await supervisor.wait(for: .beganBackgroundTask("upload"))
    try await supervisor.enterBackground()
    supervisor.advance(by: .seconds(595))
    await #expect(throws: CancellationError.self) { try await upload.value }
    try await supervisor.wait(for: .endedBackgroundTask("upload"))
    // Nothing runs any more that the worker would be killed for.
    #expect(supervisor.advance(by: .seconds(5)) == nil)
    try await supervisor.terminate()
    try await run.value
}
// end

// snippet: restart
@Test func `An upload outlives its supervisor`() async throws {
    let supervisor = try TestSupervisor()
    let worker = supervisor.worker
    let run = Task { try await worker.run(Gallery()) }
    try await supervisor.launch()
    try await worker.withBackgroundTask(named: "upload") {
        try await supervisor.wait(for: .beganBackgroundTask("upload"))
        supervisor.drop()
        supervisor.restore()
        try await supervisor.wait(for: .beganBackgroundTask("upload"))
    }
    try await supervisor.terminate()
    try await run.value
}
// end
