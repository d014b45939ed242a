internal import Linux
internal import WorkerIO

extension RunningWorker {
    /// Sessions besides that of the main process which are the worker's: those of its hooks' processes.
    var hookSessions: [Int32] {
        hooks.sessions + hooks.processes.filter { !$0.hasEnded && $0.pid > 0 }.map(\.pid)
    }

    /// Lets go of everything that hooks and their pipes have made; the names of the pipes are free at once.
    func closeStreams() {
        input?.close()
        input = nil
        for stream in outputs { stream.close() }
        outputs = []
        for process in hooks.processes { process.close() }
        hooks.processes = []
        hooks.underway = []
    }
}
