internal import Glibc
internal import Idleness
internal import Launching
package import Linux
internal import Sockets
package import SupervisorPorts
package import Systemd
package import WorkerIO

/// What workers store themselves (`FDSTORE=1` and its kin, sd_notify(3)), and whether they take what is held for them.
extension HeldSockets {
    package func childStopped(_ worker: WorkerID, by signal: Signal) {}

    /// Keeps descriptors of a worker, or takes some back.
    package func childStores(
        _ id: WorkerID, _ storage: NotifyMessage.Storage, _ descriptors: [Int32]
    ) {
        guard let worker = workers[id], worker.terms.storeLimit > 0 else {
            return refuse(id, "FDSTORE=1 is ignored: FileDescriptorStoreMax= allows no descriptors")
        }
        switch storage {
        case .store(let name, let polled):
            for descriptor in descriptors { store(descriptor, name, polled, worker, id) }
        case .remove(let name):
            for one in worker.store?.stored ?? [] where one.name == name { forgetStored(one, of: worker) }
            worker.store?.remove(named: name)
        }
    }

    private func store(
        _ descriptor: Int32, _ name: String, _ polled: Bool, _ worker: HeldWorker, _ id: WorkerID
    ) {
        do {
            let copy = try OwnedDescriptor.copy(of: descriptor)
            let number = copy.rawValue
            worker.lastStored &+= 1
            let keptAs = StoreName.stored(worker.group) + "\(worker.lastStored)/\(name)"
            switch try keep(copy, name, polled, keptAs, worker) {
            case .stored: keeper?.keep(number, as: keptAs, polled: polled)
            case .duplicate: break
            case .full:
                refuse(
                    id,
                    "the descriptor “\(name)” is not stored: FileDescriptorStoreMax=\(worker.terms.storeLimit) is reached"
                )
            }
        } catch {
            refuse(id, "the descriptor “\(name)” is not stored: \(error)")
        }
    }

    /// Says that something was not stored: once for each launch, however often the worker tries.
    private func refuse(_ id: WorkerID, _ problem: String) {
        ports.inform(id, refusals.insert(id).inserted ? .remarked(problem) : .ignored(problem))
    }

    private func keep(
        _ descriptor: consuming OwnedDescriptor, _ name: String, _ polled: Bool, _ keptAs: String,
        _ worker: HeldWorker
    ) throws -> DescriptorStore.Outcome {
        let store =
            worker.store
            ?? DescriptorStore(on: tools.loop, limit: worker.terms.storeLimit) {
                [weak self, weak worker] one in
                if let worker { self?.forgetStored(one, of: worker) }
            }
        worker.store = store
        let number = descriptor.rawValue
        let outcome = try store.add(descriptor, name: name, polled: polled)
        if outcome == .stored {
            worker.storedAs[number] = keptAs
            if polled { worker.polled.insert(number) }
        }
        return outcome
    }

    /// One is about to be closed.
    private func forgetStored(_ one: DescriptorStore.Stored, of worker: HeldWorker) {
        worker.polled.remove(one.descriptor)
        guard let keptAs = worker.storedAs.removeValue(forKey: one.descriptor) else { return }
        keeper?.drop(one.descriptor, as: keptAs)
    }

    /// The worker has ended for good: what it has stored goes, as with systemd.
    func dropStored(_ worker: HeldWorker) {
        for one in worker.store?.stored ?? [] { forgetStored(one, of: worker) }
        worker.store?.removeAll()
        worker.store = nil
    }

    func stored(of worker: HeldWorker) -> [LaunchRequest.PassedDescriptor] {
        (worker.store?.stored ?? []).map { .init($0.descriptor, name: $0.name) }
    }

    // MARK: from one supervisor to the next

    /// All that is open for workers, for the next supervisor in this process.
    package var handover: [DescriptorHandover] {
        workers.sorted { $0.key < $1.key }.flatMap { _, worker in
            let held = worker.sockets.compactMap { socket in
                socket.descriptor.map {
                    DescriptorHandover(
                        worker: worker.name, descriptor: $0, slot: socket.slot,
                        keptAs: StoreName.socket(worker.group, socket.slot))
                }
            }
            let stored = (worker.store?.stored ?? []).map { one in
                DescriptorHandover(
                    worker: worker.name, descriptor: one.descriptor, name: one.name,
                    isPolled: worker.polled.contains(one.descriptor),
                    keptAs: worker.storedAs[one.descriptor] ?? "")
            }
            return held + stored
        }
    }

    /// Takes these in: a worker that is defined later claims what is its own.
    package func inherit(_ descriptors: [DescriptorHandover]) { inherited += descriptors }

    /// Closes what no worker has claimed: none of that name is defined any more.
    package func dropUnclaimed() {
        for one in inherited {
            keeper?.keepOn(one.descriptor, as: one.keptAs, polled: one.isPolled)
            keeper?.drop(one.descriptor, as: one.keptAs)
            _ = OwnedDescriptor(inheriting: one.descriptor)
        }
        inherited = []
    }

    func hasInherited(for configuration: WorkerConfiguration) -> Bool {
        inherited.contains { $0.worker == configuration.name && $0.slot == nil }
            || !(keeper?.untaken(StoreName.stored(configuration.groupName)) ?? []).isEmpty
    }

    /// Gives those sockets of a worker that are not open what a predecessor has left: found by what it is, since the file may have changed.
    func claim(_ worker: HeldWorker) {
        var found: [(descriptor: Int32, name: String)] = []
        for one in inherited where one.worker == worker.name && one.slot != nil {
            found.append((one.descriptor, one.keptAs))
            keeper?.keepOn(one.descriptor, as: one.keptAs, polled: false)
        }
        inherited.removeAll { $0.worker == worker.name && $0.slot != nil }
        let prefix = "socket.\(worker.group)."
        for name in keeper?.untaken(prefix) ?? [] where UInt32(name.dropFirst(prefix.count)) != nil {
            if let descriptor = keeper?.take(name) { found.append((descriptor, name)) }
        }
        for (descriptor, name) in found {
            let owned = OwnedDescriptor(inheriting: descriptor)
            let socket = worker.sockets.first { $0.descriptor == nil && isSame(descriptor, as: $0.socket) }
            let place = socket.map { StoreName.socket(worker.group, $0.slot) }
            if place != name { keeper?.drop(descriptor, as: name) }
            guard let socket, let place else { continue }
            socket.take(owned)
            if place != name { keeper?.keep(descriptor, as: place, polled: false) }
            retune(socket, descriptor)
        }
    }

    /// Whether an open descriptor is that of `socket`; a FIFO is looked for at its path.
    private func isSame(_ descriptor: Int32, as socket: HeldSocket) -> Bool {
        guard socket.kind == .fifo else { return socket.isSame(as: descriptor) }
        return (try? files.answer(of: { socket.isSame(as: descriptor) }, late: { _ in })) ?? false
    }

    /// How many descriptors of a process are looked at for that.
    private static let mostRecovered = 256

    /// Gives those sockets of a worker that are not open, although it runs, a duplicate of what its processes have: they were passed it by a
    /// predecessor that was killed.
    func recover(_ worker: HeldWorker, _ id: WorkerID) {
        guard worker.sockets.contains(where: { $0.descriptor == nil }) else { return }
        for process in ports.processes(id) {
            guard let found = OpenDescriptors.read(of: process, atMost: Self.mostRecovered),
                let pidfd = try? Pidfd(pid: process)
            else { continue }
            for (number, kind) in found.kinds.sorted(by: { $0.key < $1.key }) {
                switch kind {
                case .socket, .pipe: break
                case .eventPoll, .timer, .eventCounter, .signals, .inotify, .pidfd, .ioUring, .other: continue
                }
                // A connection is let go of at once; none of these has its address and listens.
                guard worker.sockets.contains(where: { $0.descriptor == nil }),
                    let copy = try? pidfd.duplicate(number)
                else { continue }
                let raw = copy.rawValue
                guard
                    let socket = worker.sockets.first(where: {
                        $0.descriptor == nil && isSame(raw, as: $0.socket)
                    })
                else { continue }
                socket.take(copy)
                keeper?.keep(raw, as: StoreName.socket(worker.group, socket.slot), polled: false)
            }
        }
    }

    /// Gives a worker back what it has stored with a predecessor.
    func claimStored(_ worker: HeldWorker, _ id: WorkerID) {
        worker.store?.limit = worker.terms.storeLimit
        let own = inherited.filter { $0.worker == worker.name && $0.slot == nil }
        inherited.removeAll { $0.worker == worker.name && $0.slot == nil }
        for one in own {
            keeper?.keepOn(one.descriptor, as: one.keptAs, polled: one.isPolled)
            reclaim(one.descriptor, one.name, one.isPolled, one.keptAs, worker)
        }
        let prefix = StoreName.stored(worker.group)
        for keptAs in keeper?.untaken(prefix) ?? [] {
            let parts = keptAs.dropFirst(prefix.count).split(
                separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let descriptor = keeper?.take(keptAs) else { continue }
            reclaim(descriptor, String(parts[1]), true, keptAs, worker)
        }
    }

    private func reclaim(
        _ descriptor: Int32, _ name: String, _ polled: Bool, _ keptAs: String, _ worker: HeldWorker
    ) {
        let number = keptAs.split(separator: "/").dropFirst(2).first.flatMap { UInt32($0) } ?? 0
        worker.lastStored = max(worker.lastStored, number)
        let owned = OwnedDescriptor(inheriting: descriptor)
        // What there is no room for any more is dropped, and with it what the manager keeps.
        let outcome = try? keep(owned, name, polled, keptAs, worker)
        if outcome != .stored { keeper?.drop(descriptor, as: keptAs) }
    }

    // MARK: whether it takes them

    /// Looks later whether a worker that was brought by a client has the sockets that it was passed.
    func lookSoon(_ id: WorkerID) {
        guard let worker = workers[id], let due = worker.looksAt, !worker.terms.isForwarded else { return }
        if looks.handle == nil {
            looks.handle = try? TimeSource(on: tools.loop, accuracy: 500_000, priority: .clients) {
                [unowned self] _ in lookAtAll()
            }
        }
        guard looks.handle?.isArmed == false else { return }
        looks.handle?.arm(at: max(due, KernelClock.monotonic))
    }

    private func lookAtAll() {
        let now = KernelClock.monotonic
        var next: Int64?
        for (id, worker) in workers {
            guard let due = worker.looksAt else { continue }
            if due > now {
                next = min(next ?? due, due)
            } else {
                worker.looksAt = nil
                look(id, worker)
            }
        }
        if let next { looks.handle?.arm(at: next) }
    }

    /// Warns where a client still waits at a socket that no process of the worker has open: it listens elsewhere.
    private func look(_ id: WorkerID, _ worker: HeldWorker) {
        let waiting = worker.sockets.compactMap { socket -> (inode: UInt64, words: String)? in
            guard let descriptor = socket.descriptor, let facts = try? DoorFacts(of: descriptor),
                facts.news(at: descriptor) != .nothing
            else { return nil }
            return (facts.inode, socket.socket.words)
        }
        let processes = ports.processes(id)
        guard !waiting.isEmpty, !worker.isWarned, !processes.isEmpty else { return }
        tools.lookups.perform {
            var open: Set<UInt64> = []
            for process in processes {
                guard let found = OpenDescriptors.read(of: process, atMost: 4096), found.isListed else {
                    return nil as Set<UInt64>?
                }
                for case .socket(let inode) in found.kinds.values { open.insert(inode) }
                for case .pipe(let inode) in found.kinds.values { open.insert(inode) }
            }
            return open
        } then: { [weak self, weak worker] open in
            guard let self, let worker, let open, workers[id] === worker else { return }
            guard let lost = waiting.first(where: { !open.contains($0.inode) }) else { return }
            worker.isWarned = true
            ports.inform(
                id,
                .remarked(
                    "a client waits at \(lost.words), which no process of the worker has open: "
                        + "the worker has to take over the sockets that it is passed (LISTEN_FDS, sd_listen_fds(3))"
                ))
        }
    }
}
