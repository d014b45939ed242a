internal import Cgroups
internal import Lifecycle
internal import Linux
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import Transferring
internal import Transfers

/// What a predecessor has left, and the groups of transfers.
extension TransferHouse {
    /// Goes on with what a predecessor has left; when the workers are there.
    package func takeOver() {
        guard let directory = setting.directory else { return }
        do {
            let store = try TransferStore(in: directory)
            self.store = store
            let found = store.found(now: now)
            for problem in found.problems { log(nil, problem) }
            var limits = TransferPlan(lastNumber: found.lastNumber)
            limits.limits = plan.limits
            plan = limits
            take(found.all)
        } catch {
            log(nil, "transfers do not outlive the supervisor: \(error)")
        }
    }

    private func take(_ all: [TransferStore.Found]) {
        var told: [UInt32: String] = [:]
        for worker in supervisor.workers.values {
            let name = worker.configuration.name
            for content in worker.contents.values {
                guard case .transfer(let object) = content.content else { continue }
                for number in TransferEvents.numbers(in: object) { told[number] = name }
                _ = supervisor.awaitOutcome(of: content.content, for: worker.id) { [weak self] in
                    self?.settled($0, of: name)
                }
            }
        }
        for found in all {
            let number = found.entry.transfer.number
            handle(.found(found.entry, isTold: told[number] == found.entry.transfer.worker))
        }
        var alive: Set<String> = []
        for found in all where found.entry.end == nil {
            let number = found.entry.transfer.number
            if let group = groupName(number) { alive.insert(group.text) }
            goOn(with: number, found.sight, since: now)
        }
        for worker in plan.tellings.keys { look(worker) }
        removeStaleGroups(except: alive)
    }

    /// How long a holder may take to say which process it is, which is the first that it does, and how often that is looked for.
    private static let patience = TimeSpan.seconds(10)
    private static let pace: Int64 = 20_000

    /// Watches one that a predecessor has started; one whose holder is gone is over.
    private func goOn(with number: UInt32, _ sight: TransferFile.Sight?, since began: Instant) {
        let group = groupName(number).flatMap { setting.tree?.base.child($0) }
        let path = store?.report(of: number)
        if let sight, sight.isHeld {
            if let pid = sight.report?.holder, let pidfd = try? Pidfd(pid: pid),
                path.flatMap({ TransferFile.look(at: $0) })?.isHeld ?? false
            {
                return watch(number, pidfd, group, path, nil)
            }
            if now - began < Self.patience {
                // It has not got as far as that.
                return later { [weak self] in
                    self?.goOn(with: number, path.flatMap { TransferFile.look(at: $0) }, since: began)
                }
            }
        }
        over(number, sight?.report, group)
    }

    func later(_ body: @escaping () -> Void) {
        let box = SourceBox<TimeSource>()
        box.handle = try? TimeSource(on: loop) { [weak self] _ in
            // It is held until it has run.
            self?.laters.removeAll { $0 === box }
            body()
        }
        box.handle?.arm(at: KernelClock.monotonic + Self.pace)
        laters.append(box)
    }

    // MARK: groups

    func groupName(_ number: UInt32) -> CgroupName? { CgroupName("\(setting.groupPrefix)\(number)") }

    func makeGroup(_ number: UInt32) throws -> Cgroup? {
        guard let tree = setting.tree, let name = groupName(number) else { return nil }
        return try tree.base.makeChild(name)
    }

    private func removeStaleGroups(except alive: Set<String>) {
        guard let tree = setting.tree else { return }
        for group in tree.base.children()
        where group.name.hasPrefix(setting.groupPrefix) && !alive.contains(String(group.name)) {
            try? group.kill()
            remove(group)
        }
    }

    /// The kernel lets a group go a moment after its last process.
    func remove(_ group: Cgroup, tries: Int = 50) {
        guard (try? group.remove(patience: 0)) == nil, tries > 0 else { return }
        later { [weak self] in self?.remove(group, tries: tries - 1) }
    }
}
