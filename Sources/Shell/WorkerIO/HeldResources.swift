package import Cgroups
package import ConfigurationSyntax
package import Processes

/// What is found of the locks of a worker.
package enum LockSight: Hashable, Sendable {
    /// The processes of a worker, or where they are read.
    package enum Members: Sendable {
        case group(Cgroup)
        case processes([Int32])
    }

    /// It holds none.
    case none
    /// It holds one, and no process waits for it.
    case held
    /// A process waits, in these words.
    case contested(String)

    /// What is found of each of these; it reads files for each of their processes: not for the loop.
    package static func look(at workers: [Members]) -> [LockSight] {
        let table = LockTable.current()
        guard !table.locks.isEmpty else { return workers.map { _ in .none } }
        // A lock of flock(2) is that of an open file: the process that took it may have ended, as flock(1) does in scripts.
        let hasOrphans = table.hasOrphans { ProcessIdentity(pid: $0) != nil }
        return workers.map { members in
            let processes =
                switch members {
                // Ignoring a failure: it has gone meanwhile.
                case .group(let group): (try? group.processes()) ?? []
                case .processes(let processes): processes
                }
            let others = hasOrphans ? Set(HeldFileLock.all(of: processes).map(\.lock)) : []
            if let contested = table.held(by: Set(processes), or: others) {
                return .contested(contested.words(of: processes))
            }
            return table.isHeld(by: Set(processes), or: others) ? .held : .none
        }
    }
}

extension HeldFileLock {
    /// `FLOCK lock on /srv/data, held by pid 12`.
    package var words: String { "\(lock.kind) lock on \(path), held by pid \(pid)" }
}

extension LockTable.Contested {
    /// The lock of one of `processes`, with the file's path where that can be read.
    package func words(of processes: [Int32]) -> String {
        let held = HeldFileLock.all(of: processes).first { $0.lock == lock }
        let place =
            held?.words
            ?? "\(lock.kind) lock on file \(lock.file)"
            + (lock.owner > 0 ? ", held by pid \(lock.owner)" : "")
        // 0: a process of another pid namespace.
        return place + (waiter > 0 ? ", waited for by pid \(waiter)" : ", waited for by another process")
    }
}

extension [ReleasedDevice] {
    /// The first of them that one of `processes` has open, and that must be closed in the background too, or else one that must when it
    /// sleeps; nil where none is open.
    package func firstOpen(in processes: [Int32]) -> (device: ReleasedDevice, words: String)? {
        for isAlways in [true, false] {
            let wanted = filter { $0.isAlways == isAlways }
            guard !wanted.isEmpty else { continue }
            for pid in processes {
                let path = OpenFiles.first(of: pid) { path in wanted.contains { $0.devices.matches(path) } }
                guard let path, let device = wanted.first(where: { $0.devices.matches(path) }) else {
                    continue
                }
                return (device, "\(path) open in pid \(pid)")
            }
        }
        return nil
    }
}
