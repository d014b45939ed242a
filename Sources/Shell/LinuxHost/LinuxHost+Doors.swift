internal import Cgroups
package import Idleness
package import SupervisorPorts
package import Waking
internal import WorkerIO

/// The sockets of workers that are evicted stay open (section 5 of the spec's `5-waking`).
extension LinuxHost {
    func makeDoorHouse() -> DoorHouse {
        DoorHouse(with: waking) { [unowned self] number, news in
            switch news {
            case .wanted(let reason): inform(WorkerID(number), .knocked(reason))
            case .remarked(let remark): inform(WorkerID(number), .remarked(remark))
            case .over: break
            }
        }
    }

    /// Duplicates the sockets at which its clients wait.
    package func holdDoors(of worker: WorkerID) {
        guard let running = workers[worker], running.launching == nil, running.reaping == nil,
            // It would wake by nothing there.
            running.configuration.wakeRules.atDoors.watching != .no
        else { return }
        doorHouse.hold(
            worker.rawValue, processes(of: running), leavingOut: descriptors?.inodes(of: worker) ?? [])
    }

    package func closeDoors(of worker: WorkerID) { doorHouse.close(worker.rawValue) }

    /// The sockets of it that are open while it is gone.
    package func doors(of worker: WorkerID) -> DoorSight? { doorHouse.sight(of: worker.rawValue) }

    /// Says once for which sockets its clients wait.
    func tellDoors(of worker: WorkerID) {
        guard let doors = doorHouse[worker.rawValue], !doors.isLaunching else { return }
        inform(worker, .remarked("its sockets stay open: \(doors.sight.words)"))
    }

    /// Those that the service manager has kept for a worker, which are the caller's.
    package func storedDoors(_ configuration: WorkerConfiguration) -> [Int32] {
        keeper?.takeNumbered(StoreName.doors(configuration.groupName)) ?? []
    }

    /// Goes on with the sockets that a predecessor has kept open for a worker.
    package func takeDoors(
        _ descriptors: [Int32], of worker: WorkerID, _ configuration: WorkerConfiguration
    ) {
        guard !descriptors.isEmpty else { return }
        doorHouse.take(worker.rawValue, descriptors, .init(configuration))
        // It was being launched.
        if let running = workers[worker], running.reaping == nil { launchBehindDoors(running) }
    }

    /// Its launch begins, in a group that is there and empty.
    func launchBehindDoors(_ running: RunningWorker) {
        guard let doors = doorHouse[running.id.rawValue] else { return }
        let configuration = running.configuration
        let processes: () -> [Int32] = { [weak self, weak running] in
            guard let self, let running else { return [] }
            return self.processes(of: running)
        }
        doors.launching(
            .init(
                configuration, group: running.group?.path, groupID: running.group?.id, processes: processes),
            configuration.handOver)
    }

    /// Goes on with what a predecessor has left of that, in this process or in the service manager's store.
    package func takeBinds(_ handed: [BindHandover]?, of worker: WorkerID) {
        guard let running = workers[worker] else { return }
        doorHouse.takeBinds(
            handed, of: worker.rawValue, running.configuration, process: running.main, in: running.group)
    }
}
