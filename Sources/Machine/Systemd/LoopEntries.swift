/// What other threads have left for the loop's in one turn of it: calls, and sources whose handles were dropped elsewhere.
struct LoopEntries {
    var calls: [LoopCall] = []
    var abandoned: [AbandonedSource] = []

    var isEmpty: Bool { calls.isEmpty && abandoned.isEmpty }

    /// Makes the calls, in the order in which they were left.
    mutating func makeCalls(on loop: EventLoop) {
        // Most turns have none: an empty array keeps no room.
        guard !calls.isEmpty else { return }
        for call in calls { loop.serve(call.place, call.body) }
        calls = []
    }

    /// Releases them; with nil when the loop itself is being destroyed.
    mutating func releaseSources(of loop: EventLoop?) {
        for source in abandoned { source.release(by: loop) }
        abandoned.removeAll()
    }
}

/// What another thread wants done on the loop's, and where it says so.
struct LoopCall: Sendable {
    let place: CodePlace
    let body: @Sendable () -> Void
}
