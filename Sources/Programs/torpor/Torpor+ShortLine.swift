import ControlAPI
import Operator
import Places
import Supervisor

extension Torpor {
    /// Does what a line without options says; false where the parser has to see it.
    ///
    /// What a verb has by default is said here again: the parser alone puts its defaults where a verb finds them.
    static func perform(_ line: ShortLine) throws -> Bool {
        switch line {
        case .version: StandardOutput.print(Version.current, of: "torpor")
        case .run(let words): try RunCommand.perform(words: words)
        case .verb(let verb, let names, let socket):
            let options = OperatorOptions(socket: socket)
            switch verb {
            case "list": try ListCommand(names, options).run()
            case "status": try StatusCommand(names, options).run()
            case "activate": try GoalCommand<SupervisorInterface.Activate>(names, options).run()
            case "background": try GoalCommand<SupervisorInterface.Background>(names, options).run()
            case "kill": try GoalCommand<SupervisorInterface.Kill>(names, options).run()
            case "resign": try GoalCommand<SupervisorInterface.Resign>(names, options).run()
            case "restart": try GoalCommand<SupervisorInterface.Restart>(names, options).run()
            case "resume": try GoalCommand<SupervisorInterface.Resume>(names, options).run()
            case "suspend": try GoalCommand<SupervisorInterface.Suspend>(names, options).run()
            case "terminate": try GoalCommand<SupervisorInterface.Terminate>(names, options).run()
            default: return false
            }
        }
        return true
    }
}

extension OperatorOptions {
    /// None but a socket.
    fileprivate init(socket: String?) {
        self.init()
        (self.socket, host, timeout, json) = (socket, nil, nil, nil)
        (system, user, wantsJSON, noLegend, noPager, quiet) = (false, false, false, false, false, false)
    }
}

extension ListCommand {
    fileprivate init(_ names: [String], _ options: OperatorOptions) {
        self.init()
        (self.options, columns, sort, tree, self.names) = (options, nil, nil, false, names)
    }
}

extension StatusCommand {
    fileprivate init(_ names: [String], _ options: OperatorOptions) {
        self.init()
        (self.options, self.names) = (options, names)
    }
}

extension GoalCommand {
    fileprivate init(_ names: [String], _ options: OperatorOptions) {
        self.init()
        var waiting = WaitOptions()
        waiting.noWait = false
        (self.options, self.waiting, self.names) = (options, waiting, names)
    }
}
