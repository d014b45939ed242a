internal import Cgroups
internal import Linux
internal import SupervisorPorts

/// How many processes a worker may have.
extension LinuxHost {
    /// Gives its group the limit that it is to begin with, where that has the pids controller.
    func limitTasks(of running: RunningWorker) {
        guard let group = running.group, let limit = running.configuration.taskLimit, group.hasTaskController
        else {
            return
        }
        do throws(LinuxError) {
            // One of an earlier life may have another.
            try group.setTaskMaximum(limit.maximum)
        } catch {
            inform(running.id, .ignored("ignoring TasksMax=: \(error)"))
        }
    }
}
