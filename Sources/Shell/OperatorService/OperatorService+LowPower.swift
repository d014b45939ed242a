internal import Budgeting
internal import ControlAPI
internal import ControlServer
internal import Varlink

/// Low-power mode, as operators see and choose it.
extension OperatorService {
    static let lowPowerMethods: [MethodHandler<OperatorService>] = [
        MethodHandler(API.GetLowPower.self, returning: OperatorService.getLowPower),
        MethodHandler(API.SetLowPower.self, returning: OperatorService.setLowPower),
    ]

    private func lowPowerControl() throws(MethodError) -> any LowPowerControl {
        if let lowPower { return lowPower }
        return try daemonOnly(
            "torpor run has low-power mode only with --mode fetch or --mode remote-notification: it reduces nothing else"
        )
    }

    private func getLowPower(_: API.Nothing, by peer: Peer) throws(MethodError) -> API.GetLowPower.Reply {
        let mode = try lowPowerControl().lowPower
        return API.GetLowPower.Reply(
            choice: .init(mode.choice), on: mode.isOn, because: mode.because,
            threshold: Int64(mode.threshold), onBattery: mode.power?.isOnBattery,
            chargePercent: mode.power?.charge.map(Int64.init))
    }

    private func setLowPower(
        _ parameters: API.SetLowPower.Parameters, by peer: Peer
    ) throws(MethodError) -> API.SetLowPower.Reply {
        let control = try lowPowerControl()
        control.chooseLowPower(.init(parameters.choice))
        return API.SetLowPower.Reply(on: control.lowPower.isOn, because: control.lowPower.because)
    }

    /// Why low-power mode is on; nil while it is off.
    var lowPowerReason: String? {
        guard let mode = daemon?.lowPower ?? lowPower?.lowPower, mode.isOn else { return nil }
        return mode.because
    }

    /// What was answered before holds no longer.
    package func forgetAnswers() { forOthers.generation &+= 1 }
}

extension SupervisorInterface.LowPowerChoice {
    fileprivate init(_ choice: LowPowerMode.Choice) {
        self =
            switch choice {
            case .auto: .auto
            case .on: .on
            case .off: .off
            }
    }
}

extension LowPowerMode.Choice {
    fileprivate init(_ choice: SupervisorInterface.LowPowerChoice) {
        self =
            switch choice {
            case .auto: .auto
            case .on: .on
            case .off: .off
            }
    }
}
