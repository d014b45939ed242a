package import Launching
internal import Lifecycle
internal import Linux
package import SupervisorPorts

/// What workers print, as operators see it, and what operators write to them.
extension Supervisor {
    /// The last so many lines of what is kept of a worker's output, blanked as its snapshots are; none where nothing is to be kept.
    package func output(of worker: WorkerID, atMost lines: Int) -> [String] {
        guard let patterns = workers[worker]?.configuration.snapshotRedact else { return [] }
        return host.recentOutput(of: worker, atMost: lines).redacted(by: patterns)
    }

    /// The last so many lines of the process that runs, or ended last.
    package func outputOfProcess(of worker: WorkerID, atMost lines: Int) -> [String] {
        guard let known = workers[worker], let patterns = known.configuration.snapshotRedact else {
            return []
        }
        // Between two processes what was kept is that of the last.
        let all =
            known.life.pid == nil
            ? host.recentOutput(of: worker, atMost: lines) : host.lastOutput(of: worker)
        return Array(all.suffix(lines)).redacted(by: patterns)
    }

    /// Has `body` told of each line that a worker prints from now on, blanked; nil is nothing.
    package func followOutput(_ body: ((WorkerID, [String]) -> Void)?) {
        guard let body else { return host.followOutput(nil) }
        host.followOutput { [weak self] id, lines in
            guard let patterns = self?.workers[id]?.configuration.snapshotRedact else {
                return
            }
            body(id, lines.redacted(by: patterns))
        }
    }

    /// Keeps the last lines of a worker's output, in the place of those that were kept.
    func keepSnapshot(of worker: Worker) {
        guard let patterns = worker.configuration.snapshotRedact else { return }
        worker.snapshot = host.lastOutput(of: worker.id).redacted(by: patterns)
    }

    /// Whether a worker's standard input can be written to.
    package func holdsInput(of worker: WorkerID) -> Bool { host.holdsInput(of: worker) }

    /// Writes a line to a worker's standard input; `then` hears nil when it is written, or what is in the way.
    package func send(_ line: String, to worker: WorkerID, then: @escaping (String?) -> Void) {
        host.send(line, to: worker, then: then)
    }

    /// Why the last launch of a worker came to no process; nil where one did.
    package func launchFailure(of worker: WorkerID) -> LaunchError? { workers[worker]?.launchFailure }
}
