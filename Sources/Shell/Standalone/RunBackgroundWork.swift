internal import BackgroundWork
internal import Budgeting
internal import Linux
internal import OperatorService
internal import Supervisor
internal import SupervisorPorts
internal import SystemEvents
internal import Systemd

/// Fetches and low-power mode of `torpor run`, where an event may wake its command into the background (`--mode`).
///
/// The mode is as the batteries are, from the daemon's default threshold down, or as an operator chooses by the control socket; it ends
/// with `torpor run`.
final class RunBackgroundWork: LowPowerControl {
    private let fetches: FetchSchedule
    private let power = LowPowerKeeper(threshold: LowPowerMode.usualThreshold)
    private let supervisor: Supervisor
    private let system: SystemMonitors
    /// Is told that the mode is on now, or off.
    var turned: () -> Void = {}

    /// Begins: `system` is where the supplies of power are listened to.
    init(
        _ supervisor: Supervisor, _ worker: WorkerID, _ background: RunBackground, on loop: EventLoop,
        _ system: SystemMonitors
    ) {
        self.supervisor = supervisor
        self.system = system
        fetches = FetchSchedule(supervisor, on: loop)
        supervisor.observe(as: .fetches, fetches)
        power.turned = { [unowned self] in
            apply()
            turned()
        }
        apply()
        power.start(on: loop, system, .current)
        fetches.set(worker, background.definition)
    }

    var lowPower: LowPowerMode { power.mode }

    func chooseLowPower(_ choice: LowPowerMode.Choice) { power.handle(.chosen(choice)) }

    private func apply() {
        let isOn = lowPower.isOn
        fetches.isPaused = isOn
        supervisor.isLowPower = isOn
        system.isLowPower = isOn
    }
}
