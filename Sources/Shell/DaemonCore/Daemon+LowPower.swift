internal import BackgroundWork
package import Budgeting
internal import ControlAPI
internal import History
internal import Linux
internal import OperatorService
internal import Supervisor
internal import SystemEvents

/// What low-power mode means here: fetches wait, budgets of wakes are reduced, and workers are told.
extension Daemon {
    package var lowPower: LowPowerMode { power.mode }

    package func chooseLowPower(_ choice: LowPowerMode.Choice) { power.handle(.chosen(choice)) }

    /// Goes on with what a predecessor has left, before workers are taken over, and looks at the supplies.
    func beginLowPower() {
        applyLowPower()
        power.turned = { [unowned self] in
            applyLowPower()
            let isOn = lowPower.isOn
            note(
                .memory, isOn ? "lowPower" : "lowPowerOver",
                "low-power mode is \(isOn ? "on" : "off"): \(lowPower.because)")
        }
        power.powerChanged = { [processing] in processing.machineTurned() }
        power.complain = { [unowned self] in log.log(.init(.warned, .warning, $0)) }
        power.start(on: loop, system, .current)
    }

    private func applyLowPower() {
        let isOn = lowPower.isOn
        fetches.isPaused = isOn
        processing.isLowPower = isOn
        supervisor.isLowPower = isOn
        system.isLowPower = isOn
        service.forgetAnswers()
    }
}
