internal import Cgroups
package import Launching
internal import Lifecycle
internal import Linux
internal import Pressure
package import SupervisorPorts
internal import WorkerFile
internal import WorkerIO

extension LinuxHost {
    /// Begins to keep what is known of ends, for ``takeExitDetails(of:)``.
    package func beginKeepingExitDetails() { exitDetails = [:] }

    /// Notes what goes with the worker's group.
    package func keepExitDetails(of running: RunningWorker) {
        guard exitDetails != nil else { return }
        // Of the whole worker where the group has counted; else of its main process, as far as that was reaped.
        let peak = running.hasMemoryController ? running.group?.memoryPeak() : nil
        exitDetails?[running.id] = ExitDetails(
            peakMemory: peak ?? running.peakResident, pressure: currentPressure(),
            lastOutput: lastWords(of: running))
    }

    /// Notes why no process came to be.
    package func keepExitDetails(of running: RunningWorker, _ error: LaunchError) {
        guard exitDetails != nil else { return }
        exitDetails?[running.id] = ExitDetails(
            pressure: currentPressure(), lastOutput: lastWords(of: running) + [error.description])
    }

    /// The last lines that it printed, blanked as its snapshots are; none where nothing is to be kept of them.
    private func lastWords(of running: RunningWorker) -> [String] {
        guard let patterns = running.configuration.snapshotRedact else { return [] }
        return lastOutput(of: running.id).suffix(Self.keptLines).redacted(by: patterns)
    }

    private static let keptLines = 20

    /// What is known of the last end of a worker; once.
    package func takeExitDetails(of worker: WorkerID) -> ExitDetails? {
        exitDetails?.removeValue(forKey: worker)
    }

    /// The kernel makes new averages every two seconds: many ends at once need one look.
    private func currentPressure() -> PressureStall? {
        if let pressureReadAt, now - pressureReadAt < .seconds(2) { return pressure }
        pressureReadAt = now
        pressure = PressureFile.machine.stall
        return pressure
    }
}
