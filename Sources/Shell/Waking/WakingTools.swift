package import Idleness
package import Lifecycle
internal import Linux
internal import Sockets
package import Systemd
internal import WorkerIO

/// What the watches of all sleepers share: one netlink socket, one queue of look-ups, one timer for those that are sampled.
package final class WakingTools {
    let loop: EventLoop
    /// Look-ups that take long: they wait for no process, but read a line for each descriptor.
    let lookups: DiskQueue
    /// How many descriptors of one worker are duplicated at most (`DescriptorsMax=`).
    package var mostDescriptors = 512
    /// How often sockets are looked at where they cannot be duplicated (`SampleSec=`).
    package var sampleInterval = TimeSpan.milliseconds(100)
    /// How the kernel tells its file systems apart; nil where that cannot be found out, so that everything is sampled.
    lazy var systems: KernelFileSystems? = try? KernelFileSystems.probe()
    private var diag: SockDiag?
    private var hasNoDiag = false
    /// How many sockets the last dump had: a longer one is made on a thread.
    private var lastCount = 0
    private let timer = SourceBox<TimeSource>()
    private var sampled: [ObjectIdentifier: WeakWatch] = [:]
    private var tick = 0
    private var toCount: [(owner: SocketOwner, then: (Int?) -> Void)] = []
    private var isCounting = false

    private struct WeakWatch { weak var watch: SleeperWatch? }

    /// Tools that have nothing open yet.
    package init(on loop: EventLoop) {
        self.loop = loop
        lookups = DiskQueue(on: loop)
    }

    /// The longest dump that is made on the loop: some 0.3 ms.
    private static let mostOnLoop = 1000

    /// Whether sock_diag(7) can be asked here.
    package var canLook: Bool {
        open()
        return diag != nil
    }

    private func open() {
        guard diag == nil, !hasNoDiag else { return }
        diag = try? SockDiag()
        hasNoDiag = diag == nil
    }

    /// The TCP sockets that listen, in some 20 µs however many connections there are; nil where they cannot be told.
    func listeners() -> [InetSocket]? {
        open()
        return try? diag?.dump(.listening)
    }

    /// Each says whether connections to the Unix socket of this name are connections to the supervisor: what comes from there wakes no
    /// worker, since the supervisor wakes it where that is meant.
    private var servers: [([UInt8]) -> Bool] = []

    /// Has connections to the sockets of a server of ours left out, by their names.
    package func leaveOut(_ server: @escaping ([UInt8]) -> Bool) { servers.append(server) }

    /// The inodes of Unix sockets that are connected to the supervisor, and of those whose other end is gone: what may come there is no
    /// use of a worker, and an end wakes none.
    func unwatchedSockets() -> Set<UInt64> {
        open()
        let sockets = (try? diag?.unixSockets()) ?? []
        var inodes: Set<UInt64> = []
        for socket in sockets {
            if let name = socket.name, let peer = socket.peer, servers.contains(where: { $0(name) }) {
                inodes.insert(UInt64(peer))
            }
            if socket.kind == .stream, socket.state == .established, socket.peer == nil {
                inodes.insert(UInt64(socket.inode))
            }
        }
        return inodes
    }

    /// Has `then` called with all TCP sockets: at once, or where there are many, when a thread has them; nil where they cannot be told.
    package func look(withTraffic: Bool = false, then: @escaping ([InetSocket]?) -> Void) {
        open()
        guard diag != nil else { return then(nil) }
        guard lastCount > Self.mostOnLoop else {
            let sockets = try? diag?.dump(.all, withTraffic: withTraffic)
            lastCount = sockets?.count ?? 0
            return then(sockets)
        }
        lookups.perform {
            guard var diag = try? SockDiag() else { return nil as [InetSocket]? }
            return try? diag.dump(.all, withTraffic: withTraffic)
        } then: { [weak self] sockets in
            self?.lastCount = sockets?.count ?? 0
            then(sockets)
        }
    }

    /// Has `then` called, later and on the loop, with how many connections of TCP an owner has open; nil where that cannot be told.
    ///
    /// One dump, on a thread, serves all that ask while the one before is made.
    func count(_ owner: SocketOwner, then: @escaping (Int?) -> Void) {
        toCount.append((owner, then))
        if !isCounting { countAll() }
    }

    private func countAll() {
        let questions = toCount
        toCount = []
        isCounting = !questions.isEmpty
        guard isCounting else { return }
        let owners = questions.map(\.owner)
        lookups.perform {
            guard var diag = try? SockDiag(), let sockets = try? diag.dump(.connections) else {
                return [Int?](repeating: nil, count: owners.count)
            }
            return owners.map { $0.connections(among: sockets) }
        } then: { [weak self] counts in
            for (question, count) in zip(questions, counts) { question.then(count) }
            self?.countAll()
        }
    }

    // MARK: sampling

    /// Has `watch` look at each sample from now on.
    func sample(_ watch: SleeperWatch) {
        if timer.handle == nil {
            timer.handle = try? TimeSource(on: loop, accuracy: 5_000, priority: .clients) {
                [unowned self] _ in
                sampleAll()
            }
        }
        let isFirst = sampled.isEmpty
        sampled[ObjectIdentifier(watch)] = WeakWatch(watch: watch)
        if isFirst { armSample() }
    }

    func stopSampling(_ watch: SleeperWatch) {
        sampled[ObjectIdentifier(watch)] = nil
        if sampled.isEmpty { timer.handle?.disarm() }
    }

    private func armSample() { timer.handle?.arm(at: KernelClock.monotonic + sampleInterval.microseconds) }

    /// Listeners are looked at each time; connections, which cost ten times as much, every other time.
    private func sampleAll() {
        sampled = sampled.filter { $0.value.watch != nil }
        guard !sampled.isEmpty else { return }
        tick &+= 1
        let watches = sampled.values.compactMap(\.watch)
        if tick.isMultiple(of: 2) {
            look { sockets in
                for watch in watches { watch.sampled(sockets ?? [], isWhole: true) }
            }
        } else {
            let sockets = listeners() ?? []
            for watch in watches { watch.sampled(sockets, isWhole: false) }
        }
        if !sampled.isEmpty { armSample() }
    }
}
