internal import Idleness
internal import Lifecycle
internal import Linux
internal import Sockets
internal import Systemd
internal import WorkerIO

/// A worker that is launched listens where its last process did: seen by looking for that, for as long as the launch lasts.
extension EvictedDoors {
    /// How soon is looked again at first, for how long, and how soon later.
    private static let interval: Int64 = 2000
    private static let haste = TimeSpan.seconds(10)
    private static let laterInterval: Int64 = 50_000

    func beginListening(_ places: [Int]) {
        (listened, heard, strangers) = (places, [:], [])
        listensSince = Instant(microseconds: KernelClock.monotonic)
        if sampler.handle == nil {
            // The launch goes on by jobs of that priority: many that look must not keep them from the loop.
            sampler.handle = try? TimeSource(on: tools.loop, accuracy: 200, priority: .clients) {
                [unowned self] _ in look()
            }
        }
        lookSoon()
    }

    func stopListening() {
        listened = []
        sampler.handle?.disarm()
    }

    /// Those where the worker's own socket is looked for: what it is given shows when it binds.
    private var sampled: [Int] { listened.filter { !model.doors[$0].isLending } }

    private func lookSoon() {
        if let launch, sampled.isEmpty {
            sampler.handle?.arm(at: (listensSince + launch.limit).microseconds + 1)
            return
        }
        let now = KernelClock.monotonic
        let isHasty = Instant(microseconds: now) - listensSince < Self.haste
        let hasty = min(max(Self.interval, tools.own.listenerPause), Self.laterInterval)
        sampler.handle?.arm(at: now + (isHasty ? hasty : Self.laterInterval))
    }

    private func look() {
        guard !listened.isEmpty, let launch else { return }
        let found = sampled.isEmpty ? [:] : listening(tools.own.listeners(since: listensSince.microseconds))
        // Its processes are known a moment after they run.
        if !found.isEmpty, !launch.processes().isEmpty {
            listened.removeAll { found[$0] != nil }
            heard.merge(found) { $1 }
            handle(.listening(Set(found.keys)))
        }
        guard !listened.isEmpty else { return }
        if Instant(microseconds: KernelClock.monotonic) - listensSince > launch.limit {
            return handle(.expired)
        }
        lookSoon()
    }

    /// Sockets of the worker's that listen at places where that is waited for.
    private func listening(_ sockets: [InetSocket]) -> [Int: UInt64] {
        var found: [Int: UInt64] = [:]
        for place in sampled {
            let box = stock.boxes[place]
            guard case .tcp(let endpoint) = box.place else { continue }
            let inode = sockets.lazy.first {
                $0.state == .listen && $0.local == endpoint && UInt64($0.inode) != box.inode
                    && self.isOwn($0)
            }?.inode
            if let inode { found[place] = UInt64(inode) }
        }
        return found
    }

    /// Made in the worker's group, or one that a process of it has open.
    private func isOwn(_ socket: InetSocket) -> Bool {
        if let group = launch?.groupID, let cgroup = socket.cgroup, cgroup == group { return true }
        let inode = UInt64(socket.inode)
        guard inode != 0, !strangers.contains(inode) else { return false }
        let processes = launch?.processes() ?? []
        let inventory = SleeperWatch.inventory(of: processes, atMost: SleeperWatch.mostOnLoop)
        if SocketOwner(of: inventory, cgroup: nil).inodes.contains(inode) { return true }
        if !processes.isEmpty { strangers.insert(inode) }
        return false
    }
}
