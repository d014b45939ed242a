internal import History
internal import Linux
internal import Supervisor
internal import SupervisorPorts
internal import SystemEvents
internal import Systemd

/// What was posted: kept by the recorder, and due by the wall clock.
extension Daemon: WallAlarm {
    /// Takes over what a predecessor has kept, before any worker is there.
    func restoreInboxes() {
        let kept = recorder.storedInboxes()
        let recorder = recorder
        let supervisor = supervisor
        wallTimer.handle = try? WallTimeSource(on: loop) {
            supervisor.schedulesDue(at: KernelClock.wall)
        }
        let isUnread = recorder.isUnread != nil
        supervisor.notifications = recorder
        supervisor.wallAlarm = self
        // Numbers grow by far less than one a microsecond.
        if isUnread { supervisor.lastUnreadNumber = UInt64(clamping: KernelClock.wall) }
        supervisor.restore(kept)
        recorder.wasRead = { kept in supervisor.restoreLate(kept) }
    }

    package func setWallAlarm(_ moment: Int64?) {
        if let moment { wallTimer.handle?.arm(at: moment) } else { wallTimer.handle?.disarm() }
        system.followsClock = moment != nil
    }
}
