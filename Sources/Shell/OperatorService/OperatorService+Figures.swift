internal import Cgroups
internal import ControlAPI
internal import ControlServer
internal import Lifecycle
internal import Linux
internal import MetricsShell
internal import Supervisor
internal import SupervisorPorts
internal import Varlink
internal import WorkerFile

/// What a caller that watches asks for again and again: only what no change of state tells.
extension OperatorService {
    func figures(
        _ parameters: API.Figures.Parameters, by peer: Peer
    ) throws(MethodError) -> API.Figures.Reply {
        // Each costs two files of its group, and the loop has others to serve.
        let entries = parameters.names.prefix(256).compactMap { registry[$0] }
        return API.Figures.Reply(workers: entries.compactMap { figures(of: $0) })
    }

    private func figures(of entry: RegisteredWorker) -> API.WorkerFigures? {
        guard let view = supervisor.view(of: entry.id) else { return nil }
        let rendering = WorkerRendering(view: view, entry: entry, now: now, usage: nil)
        let group = view.life.pid == nil ? nil : meters.group(entry.id).map { Cgroup(path: $0) }
        let memory = group?.memoryCurrent()
        // Without a group, or its controller, its processes are looked at.
        let used = memory == nil && view.life.pid != nil ? usage(entry.id) : nil
        let givenBack = view.reclaim?.givenBack ?? 0
        return API.WorkerFigures(
            name: entry.name, goal: rendering.goal, reason: view.life.restReason.map { .init($0) },
            pid: view.life.pid.map(Int64.init), held: view.life.isHeld ? true : nil,
            memoryBytes: memory ?? used?.memory, givenBackBytes: givenBack > 0 ? givenBack : nil,
            cpuUsec: group?.cpuTime().map { Int64(clamping: $0) } ?? used?.cpu,
            queueLength: view.queueLength > 0 ? Int64(view.queueLength) : nil,
            deadline: rendering.deadlines.first,
            foregroundGroup: entry.loaded?.definition.foreground.group.map { "\($0)" })
    }
}
