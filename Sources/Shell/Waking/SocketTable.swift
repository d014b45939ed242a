internal import Idleness
internal import Linux
internal import Sockets
internal import WorkerIO

/// The sockets of one network namespace, as sock_diag(7) tells of them, and the sleepers there that are sampled.
final class SocketTable {
    /// A process that is in the namespace; nil of the supervisor's own.
    private let process: Int32?
    private unowned let tools: WakingTools
    private var diag: SockDiag?
    private var hasNoDiag = false
    /// How many sockets the last dump told of: a longer one is made on a thread.
    private var lastCount = 0
    private var lastOthers = 0
    private var lastListening = 0
    private var gate = SampleGate()
    private var counters: SegmentCounterFile?
    private var hasNoCounters = false
    private var sampled: [ObjectIdentifier: Sampled] = [:]

    /// How many of the sleepers may have connections, and sockets that are none of TCP.
    private var (withConnections, withOthers) = (0, 0)

    /// A watch stops to be sampled before it goes; what it may have changes with its next plan alone, which begins a sample anew.
    private struct Sampled {
        unowned let watch: SleeperWatch
        let mayHaveConnections: Bool
        let mayHaveOthers: Bool

        init(_ watch: SleeperWatch) {
            self.watch = watch
            (mayHaveConnections, mayHaveOthers) = (watch.mayHaveConnections, watch.mayHaveOthers)
        }
    }

    /// The namespace of a process, or of the supervisor.
    init(of process: Int32? = nil, _ tools: WakingTools) {
        self.process = process
        self.tools = tools
    }

    /// The longest dumps that are made on the loop: some 0.3 ms.
    private static let mostOnLoop = 1000
    private static let mostOthersOnLoop = 300

    /// Whether the kernel tells of them here.
    var canLook: Bool {
        open()
        return diag != nil
    }

    private func open() {
        guard diag == nil, !hasNoDiag else { return }
        diag = Self.diag(of: process)
        hasNoDiag = diag == nil
    }

    private static func diag(of process: Int32?) -> SockDiag? {
        guard let process else { return try? SockDiag() }
        return try? SockDiag(ofProcess: process)
    }

    /// The TCP sockets that listen; nil where they cannot be told.
    ///
    /// It takes some 20 µs however many connections there are, and 1 µs or 2 for each socket that listens.
    func listeners() -> [InetSocket]? {
        open()
        return try? diag?.dump(.listening)
    }

    /// What listened a moment ago: when that was and how long the look took, in microseconds of the monotonic clock.
    private var recent: (sockets: [InetSocket], at: Int64, cost: Int64)?
    /// Looks again and again take no more than a tenth of a processor, all together.
    private static let restsPerLook: Int64 = 10

    /// How long those that look again and again wait until the next look, in microseconds.
    var listenerPause: Int64 { Self.restsPerLook * (recent?.cost ?? 0) }

    /// The TCP sockets that listened at `moment`, in microseconds of the monotonic clock, or later: one list for all that look again and again.
    func listeners(since moment: Int64) -> [InetSocket] {
        let now = KernelClock.monotonic
        if let recent, recent.at >= moment, now < recent.at + listenerPause { return recent.sockets }
        let sockets = listeners() ?? []
        recent = (sockets, now, KernelClock.monotonic - now)
        return sockets
    }

    /// The sockets that are none of TCP.
    func others() -> OtherSockets {
        open()
        return others(of: Self.dumpOthers(&diag))
    }

    private static func dumpOthers(_ diag: inout SockDiag?) -> (unix: [UnixSocket], udp: [InetSocket]) {
        // Ignoring why a kind cannot be told: there is none of it then.
        ((try? diag?.unixSockets()) ?? [], (try? diag?.dump(.all, of: .udp)) ?? [])
    }

    private func others(of dumped: (unix: [UnixSocket], udp: [InetSocket])) -> OtherSockets {
        lastOthers = dumped.unix.count + dumped.udp.count
        return OtherSockets(unix: dumped.unix, udp: dumped.udp, isServer: tools.isServer)
    }

    /// Has `then` called with the TCP sockets at which something waits: at once, or where there are many, when a thread has them; nil where
    /// they cannot be told.
    func look(then: @escaping ([InetSocket]?) -> Void) {
        open()
        guard diag != nil else { return then(nil) }
        guard lastCount > Self.mostOnLoop else {
            let news = try? diag?.news(.inUse)
            lastCount = news?.count ?? 0
            return then(news?.sockets)
        }
        let process = process
        tools.lookups.perform {
            guard var diag = Self.diag(of: process) else {
                return nil as (sockets: [InetSocket], count: Int)?
            }
            return try? diag.news(.inUse)
        } then: { [weak self] news in
            self?.lastCount = news?.count ?? 0
            then(news?.sockets)
        }
    }

    // MARK: sampling

    /// Has `watch` told of each sample from now on.
    func sample(_ watch: SleeperWatch) {
        let one = Sampled(watch)
        count(sampled.updateValue(one, forKey: ObjectIdentifier(watch)), -1)
        count(one, 1)
        gate.reset()
    }

    /// Whether one is still told.
    func stopSampling(_ watch: SleeperWatch) -> Bool {
        count(sampled.removeValue(forKey: ObjectIdentifier(watch)), -1)
        if sampled.isEmpty { counters = nil }
        return !sampled.isEmpty
    }

    private func count(_ one: Sampled?, _ difference: Int) {
        guard let one else { return }
        if one.mayHaveConnections { withConnections += difference }
        if one.mayHaveOthers { withOthers += difference }
    }

    /// Listeners are looked at each time, and nothing where nothing has come by TCP since.
    ///
    /// The others, which cost ten times as much, are looked at every other time, and only where a sleeper has some: it gets no others but
    /// through its listeners.
    ///
    /// Where the counters are watched they are read whatever that costs: they tell when the next sample is due.
    func takeSample(isWhole: Bool, countersAreWatched: Bool) {
        open()
        let hasConnections = isWhole && withConnections > 0
        let wanted: SampleGate.Look = hasConnections ? .all : .listening
        let seen = countersAreWatched || isWorthwhile(wanted) ? counterFile()?.read() : nil
        switch gate.look(wanted, seen) {
        case .nothing: break
        case .listening:
            guard let news = try? diag?.news(.listening) else { return gate.reset() }
            lastListening = news.count
            gate.looked(at: .listening, seen, somethingWaits: !news.sockets.isEmpty)
            tell(news.sockets, isWhole: false)
        case .all:
            look { [weak self] sockets in
                guard let self else { return }
                guard let sockets else { return gate.reset() }
                gate.looked(at: .all, seen, somethingWaits: !sockets.isEmpty)
                tell(sockets, isWhole: true)
            }
        }
    }

    private func isWorthwhile(_ wanted: SampleGate.Look) -> Bool {
        SampleGate.isWorthwhile(wanted, sockets: lastListening, processors: SegmentCounterFile.processors)
    }

    /// What tells whether anything has come by TCP in the namespace.
    private func counterFile() -> SegmentCounterFile? {
        if counters == nil, !hasNoCounters {
            counters = try? SegmentCounterFile(ofProcess: process)
            // Ignoring why: all is looked at each time.
            hasNoCounters = counters == nil
        }
        return counters
    }

    /// What is to be watched for its next sample; nil where the counters do not tell of all that is sampled.
    var segmentPlace: SegmentWatch.Place? {
        guard withOthers == 0, let file = counterFile() else { return nil }
        return SegmentWatch.Place(file, gate, hasConnections: withConnections > 0)
    }

    /// Looks at the sockets that are none of TCP, where a sleeper has some.
    func takeSampleOfOthers() {
        guard withOthers > 0 else { return }
        open()
        guard lastOthers > Self.mostOthersOnLoop else { return tell(others()) }
        let process = process
        tools.lookups.perform {
            var diag = Self.diag(of: process)
            return Self.dumpOthers(&diag)
        } then: { [weak self] dumped in
            guard let self else { return }
            tell(others(of: dumped))
        }
    }

    private func tell(_ sockets: [InetSocket], isWhole: Bool) {
        guard !sockets.isEmpty else { return }
        for watch in sampled.values.map(\.watch) { watch.sampled(sockets, isWhole: isWhole) }
    }

    private func tell(_ others: OtherSockets) {
        for watch in sampled.values.map(\.watch) { watch.sampled(others) }
    }
}
