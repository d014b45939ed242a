import ArgumentParser
import ControlAPI
import Operator

/// `torpor low-power [on|off|auto]`.
struct LowPowerCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "low-power",
        abstract: "Show low-power mode, or choose it.",
        discussion: """
            In low-power mode background fetches wait, a quarter of the WakeBudget= of each worker is left, and workers are told by the \
            topic powerChanged. By default, 'auto', it is on while the machine is on battery at or below LowPowerBelow= (20%), and off \
            again on mains or when the charge is a quarter above that. The choice is kept until it is changed or the machine is \
            rebooted.
            """)

    @OptionGroup var options: OperatorOptions

    @Argument(help: "The mode: on, off, or as the batteries are.")
    var choice: Choice?

    enum Choice: String, ExpressibleByArgument, CaseIterable {
        case on, off, auto
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        if let choice, let wanted = SupervisorInterface.LowPowerChoice(rawValue: choice.rawValue) {
            let reply = try session.call(SupervisorInterface.SetLowPower.self, .init(choice: wanted))
            let isQuiet = session.console.isQuiet
            try session.show(reply) {
                isQuiet ? "" : "Low-power mode is \(reply.on ? "on" : "off"): \(reply.because.printable).\n"
            }
            return .success
        }
        let reply = try session.call(SupervisorInterface.GetLowPower.self, .init())
        try session.show(reply) { "\(reply.words)\n" }
        return .success
    }
}
