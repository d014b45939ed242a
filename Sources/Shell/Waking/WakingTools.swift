internal import Idleness
package import Lifecycle
internal import Linux
internal import Sockets
package import Systemd
package import WorkerIO

/// What the watches of all sleepers share: one netlink socket, one queue of look-ups, one timer for those that are sampled.
package final class WakingTools {
    let loop: EventLoop
    /// Look-ups that take long: they wait for no process, but read a line for each descriptor.
    package let lookups: DiskQueue
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

    /// What is known of sockets that are none of TCP.
    struct Others {
        /// The inodes of Unix sockets that are connected to the supervisor, and of those whose other end is gone: what may come there is no
        /// use of a worker, and an end wakes none.
        var left: Set<UInt64> = []
        /// The inodes of all of them.
        var all: Set<UInt64> = []
    }

    /// The sockets that are none of TCP.
    func others() -> Others {
        open()
        var others = Others()
        for socket in (try? diag?.unixSockets()) ?? [] {
            others.all.insert(UInt64(socket.inode))
            if let name = socket.name, let peer = socket.peer, servers.contains(where: { $0(name) }) {
                others.left.insert(UInt64(peer))
            }
            if socket.kind == .stream, socket.state == .established, socket.peer == nil {
                others.left.insert(UInt64(socket.inode))
            }
        }
        for socket in (try? diag?.dump(.all, of: .udp)) ?? [] { others.all.insert(UInt64(socket.inode)) }
        return others
    }

    /// Has `then` called with all TCP sockets that may be of use: at once, or where there are many, when a thread has them; nil where they
    /// cannot be told.
    func look(then: @escaping ([InetSocket]?) -> Void) {
        open()
        guard diag != nil else { return then(nil) }
        guard lastCount > Self.mostOnLoop else {
            let sockets = try? diag?.dump(.inUse)
            lastCount = sockets?.count ?? 0
            return then(sockets)
        }
        lookups.perform {
            guard var diag = try? SockDiag() else { return nil as [InetSocket]? }
            return try? diag.dump(.inUse)
        } then: { [weak self] sockets in
            self?.lastCount = sockets?.count ?? 0
            then(sockets)
        }
    }

    /// Has `then` called with what woke `owner` without a look since `span` ago, found on a thread; nil where that cannot be told.
    func explain(
        _ owner: SocketOwner, known: Set<UInt64>, within span: TimeSpan, in cgroup: UInt64?,
        then: @escaping (WakeFilter.Reason?) -> Void
    ) {
        lookups.perform {
            // Ignoring why it cannot be told: then it is not named.
            guard var diag = try? SockDiag(),
                let sockets = try? diag.dump(.inUse, withTraffic: true, cgroup: cgroup)
            else { return nil }
            return WakeFilter.Reason(sockets, of: owner, known: known, within: span)
        } then: {
            then($0)
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

    /// Listeners are looked at each time; connections, which cost ten times as much, every other time, and only where a sleeper has some: it
    /// gets no others but through its listeners.
    private func sampleAll() {
        sampled = sampled.filter { $0.value.watch != nil }
        guard !sampled.isEmpty else { return }
        tick &+= 1
        if tick.isMultiple(of: 2), sampled.values.contains(where: { $0.watch?.mayHaveConnections ?? false }) {
            look { [weak self] sockets in self?.tellSampled(sockets ?? [], isWhole: true) }
        } else {
            tellSampled(listeners() ?? [], isWhole: false)
        }
        if !sampled.isEmpty { armSample() }
    }

    private func tellSampled(_ sockets: [InetSocket], isWhole: Bool) {
        // Most are quiet: each sleeper looks through the others alone, and its own listeners, by which it knows what waits there.
        let news = sockets.filter { $0.receiveQueue > 0 || $0.inode == 0 }
        guard !news.isEmpty else { return }
        let listeners = isWhole ? sockets.filter { $0.state == .listen && $0.receiveQueue == 0 } : []
        for watch in sampled.values.compactMap(\.watch) {
            watch.sampled(news + listeners, isWhole: isWhole)
        }
    }
}
