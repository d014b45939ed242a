package import Cgroups
internal import Glibc
package import Idleness
internal import Linux
internal import Processes
internal import Sockets
package import SupervisorPorts
package import WorkerIO

/// Workers that are given the sockets of their last process where they bind them (`HandOver=handover`).
extension DoorHouse {
    /// Whether bind(2) of a launch that begins is to be told to the supervisor.
    package func noticesBinds(of worker: UInt32, _ configuration: WorkerConfiguration) -> Bool {
        guard wantsBinds(configuration) else { return false }
        guard let gap = lendingGap(of: worker) else { return true }
        if toldOfGaps.insert(worker).inserted { tellOf(gap, worker) }
        return false
    }

    private func wantsBinds(_ configuration: WorkerConfiguration) -> Bool {
        configuration.handOver == .handover && configuration.holdsSockets
    }

    private func tellOf(_ gap: String, _ worker: UInt32) {
        tell(worker, .remarked("HandOver=handover is taken for auto: \(gap)"))
    }

    /// Why a worker cannot be given sockets; nil where it can.
    func lendingGap(of worker: UInt32) -> String? {
        bindRefusals[worker] ?? (isUnnoticed(worker) ? Self.unnoticed : tools.lendingProspect.gap)
    }

    private static let unnoticed = "its process was launched without it"

    private func isUnnoticed(_ worker: UInt32) -> Bool {
        unnoticed.contains(worker) || unserved.contains(worker)
    }

    /// The process of a launch runs, and has not bound anything yet that was to be noticed: that waits for its answer.
    package func launched(_ worker: UInt32, _ child: LaunchedChild, group: String) {
        if let listener = child.bindListener, let descriptor = try? listener.take() {
            serve(worker, descriptor, number: child.pid, group: group, isStored: false)
        } else if child.bindErrno != 0 {
            let prospect = LendingProspect(
                .init(errno: child.bindErrno), isFiltered: tools.lendingProspect.isFiltered)
            let gap = prospect.gap ?? ""
            bindRefusals[worker] = gap
            toldOfGaps.insert(worker)
            tellOf(gap, worker)
            self[worker]?.lendingFailed()
        }
    }

    @discardableResult
    private func serve(
        _ worker: UInt32, _ descriptor: consuming OwnedDescriptor, number: Int32, group: String,
        isStored: Bool
    ) -> BindWatch? {
        let name = "\(StoreName.binds(group))\(number)"
        let raw = descriptor.rawValue
        do {
            let watch = try BindWatch(
                BindListener(descriptor), number: number, on: tools.loop,
                lender: { [weak self] in self?[worker] },
                ended: { [weak self] in
                    guard let self else { return }
                    store?.drop(raw, as: name)
                    binds[worker]?.removeAll { $0.descriptor == raw }
                    if binds[worker]?.isEmpty == true { binds[worker] = nil }
                })
            binds[worker, default: []].append(watch)
            if isStored {
                store?.keepOn(raw, as: name, polled: true)
            } else {
                store?.keep(raw, as: name, polled: true)
            }
            return watch
        } catch {
            tell(worker, .remarked("bind(2) of its processes cannot be answered, and fails: \(error)"))
            unserved.insert(worker)
            return nil
        }
    }

    // MARK: from one supervisor to the next

    /// What bind(2) of a worker's processes is answered by.
    package func binds(of worker: UInt32) -> [BindHandover] {
        (binds[worker] ?? []).map { BindHandover($0.descriptor, number: $0.number, underway: $0.underway) }
    }

    /// Closes what a predecessor in this process has left of that for a worker which is not taken over: its calls fail (ENOSYS).
    package func refuse(_ handed: [BindHandover], ofGroup group: String) {
        for one in handed {
            let name = "\(StoreName.binds(group))\(one.number)"
            store?.keepOn(one.descriptor, as: name, polled: true)
            store?.drop(one.descriptor, as: name)
        }
        DescriptorCloser.close(handed.map(\.descriptor))
    }

    /// Goes on with the calls that a predecessor in this process had received, when the worker's sockets are taken over: they may be given.
    package func resumeBinds(of worker: UInt32) {
        for (watch, call) in resumed.removeValue(forKey: worker) ?? [] { watch.goOn(with: call) }
    }

    /// Goes on with what a predecessor in this process has left, or where it was killed, the service manager has kept.
    package func takeBinds(
        _ handed: [BindHandover]?, of worker: UInt32, _ configuration: WorkerConfiguration, process: Int32,
        in cgroup: Cgroup?
    ) {
        let group = configuration.groupName
        for one in handed ?? [] {
            let watch = serve(
                worker, OwnedDescriptor(inheriting: one.descriptor), number: one.number, group: group,
                isStored: true)
            if let watch, let call = one.underway { resumed[worker, default: []].append((watch, call)) }
        }
        let prefix = StoreName.binds(group)
        for name in store?.untaken(prefix) ?? [] {
            guard let number = Int32(name.dropFirst(prefix.count)), let found = store?.take(name) else {
                continue
            }
            serve(
                worker, OwnedDescriptor(inheriting: found), number: number, group: group, isStored: true)
        }
        if handed == nil, binds[worker] != nil, let cgroup { Self.interrupt(cgroup) }
        guard binds[worker] == nil, wantsBinds(configuration), process > 0 else { return }
        guard tools.lendingProspect.gap == nil, Self.isNoticed(process) else {
            unnoticed.insert(worker)
            return
        }
        unserved.insert(worker)
        tell(worker, .remarked("HandOver=handover: \(Self.unserved)"))
    }

    /// A call that a predecessor had received when it was killed can be answered by no other: the freezer interrupts it, and then it is
    /// made again.
    private static func interrupt(_ cgroup: Cgroup) {
        guard (try? cgroup.isFreezingOrFrozen()) == false,
            BindListener.isCalled(by: (try? cgroup.processes()) ?? [])
        else { return }
        // Ignoring failures: then it waits for a signal.
        _ = try? cgroup.freeze()
        _ = try? cgroup.thaw()
    }

    /// Whether a process has a filter of system calls that this one has not.
    private static func isNoticed(_ process: Int32) -> Bool {
        func count(_ process: Int32) -> Int? {
            ProcessMemory.status(of: process)?.split(whereSeparator: \.isNewline)
                .first { $0.hasPrefix("Seccomp_filters:") }
                .flatMap { Int($0.dropFirst(16).drop { $0 == "\t" }) }
        }
        guard let theirs = count(process), let own = count(getpid()) else { return false }
        return theirs > own
    }

    /// What is said of a worker whose bind(2) has no answer any more.
    package static let unserved =
        "the process can bind no further socket until it is launched again (ENOSYS), since a previous supervisor ended and no service manager kept its descriptors (FileDescriptorStoreMax=)"

    /// The same of this worker; nil where it is not so.
    package func bindProblem(of worker: UInt32) -> String? {
        unserved.contains(worker) ? Self.unserved : nil
    }

    /// As operators are told of the sockets of a worker; nil where there is nothing to be told.
    package func sight(of worker: UInt32) -> DoorSight? {
        let problem = bindProblem(of: worker)
        guard var sight = self[worker]?.sight ?? problem.map({ _ in DoorSight([]) }) else { return nil }
        sight.bindProblem = problem
        return sight
    }

    /// The process of a worker has ended.
    func forgetProcess(of worker: UInt32) {
        unnoticed.remove(worker)
        unserved.remove(worker)
    }
}
