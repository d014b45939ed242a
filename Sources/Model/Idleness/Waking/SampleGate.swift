/// What a sample of a network namespace looks at: nothing, where nothing has come there since the last look.
///
/// While no segment comes, nothing waits at a socket of TCP that did not wait before; and while no connection is made through a listening
/// socket, no listening one has a connection more. What waits and wakes nothing yet has its own time to be looked at again.
package struct SampleGate: Hashable, Sendable {
    /// What is looked at.
    package enum Look: Hashable, Sendable {
        case nothing
        /// The listening sockets.
        case listening
        /// All sockets.
        case all
    }

    /// What had come before the listening sockets were looked at, and before all were.
    private var atListening: SegmentCounters?
    private var atAll: SegmentCounters?
    /// Something waited at the last look.
    private var somethingWaits = false

    /// Everything is looked at first.
    package init() {}

    /// Whether reading the counters takes less than the look that it may spare: for them the kernel adds up those of all processors.
    ///
    /// A dump of all sockets walks through a table that is as large as the machine's memory makes it.
    package static func isWorthwhile(_ wanted: Look, sockets: Int, processors: Int) -> Bool {
        switch wanted {
        case .nothing: false
        case .listening: sockets > 16 + processors
        case .all: true
        }
    }

    /// What of `wanted` is looked at; `counters` were read just before, nil is unknown.
    package func look(_ wanted: Look, _ counters: SegmentCounters?) -> Look {
        guard let counters else { return wanted }
        switch wanted {
        case .nothing: return .nothing
        case .all: return counters.segments == atAll?.segments ? .nothing : .all
        case .listening:
            let isSame =
                somethingWaits
                ? counters.segments == atListening?.segments
                : counters.connections == atListening?.connections
            return isSame ? .nothing : .listening
        }
    }

    /// It was looked at, and something waited or not; `counters` were read before that.
    package mutating func looked(at look: Look, _ counters: SegmentCounters?, somethingWaits: Bool) {
        switch look {
        case .nothing: return
        case .listening: atListening = counters
        case .all: (atListening, atAll) = (counters, counters)
        }
        self.somethingWaits = somethingWaits
    }

    /// Another sleeper is sampled, or a look has failed: everything is looked at next.
    package mutating func reset() { self = SampleGate() }
}
