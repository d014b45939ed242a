import ArgumentParser
import ControlAPI
import Operator

/// `torpor watch [NAME…]`.
struct WatchCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show the current state of workers, then each change as it happens.")

    @OptionGroup var options: OperatorOptions

    @Argument(help: "Names of workers, or shell patterns; all by default.", completion: .workers)
    var names: [String] = []

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let console = session.console
        let printer = session
        var view = WatchView(at: .local)
        var status = OperatorExit.success
        try session.follow(SupervisorInterface.Watch.self, .init(names: names.isEmpty ? nil : names)) {
            reply throws(Failure) in
            if let present = reply.present {
                status = printer.reportUnknown(names, among: present)
                guard status == .success else { return false }
            }
            try printer.show(reply) { view.rendered(reply, console.style) }
            return true
        }
        return status
    }
}
