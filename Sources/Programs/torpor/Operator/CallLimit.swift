import ControlAPI
import Lifecycle

/// How long calls may take: no call waits for ever on a supervisor that does not answer.
struct CallLimit {
    /// How long a supervisor has to accept a connection and to give the first sign of life.
    static let signOfLife = TimeSpan.seconds(5)
    /// The same of one that a service manager starts for the call: on a small or busy machine that takes its time.
    static let start = TimeSpan.seconds(60)
    /// How long the way to another machine may take: a network, a login, and a program that starts there.
    static let login = TimeSpan.seconds(30)
    /// The same where a person may be asked for a password on the way.
    static let question = TimeSpan.seconds(120)
    /// How long a call may take that reads or writes disks.
    static let work = TimeSpan.seconds(60)
    /// How much later than the supervisor's own limit the answer may come.
    static let grace = TimeSpan.seconds(5)

    /// What kind of call it is.
    enum Kind {
        /// It is answered from memory, and at once.
        case immediate
        /// It takes some work: the supervisor shows that it is there before.
        case working
        /// It waits for workers, by nature: the same, and then as long as it takes; the supervisor keeps the limit.
        case waiting
        /// The same, where the supervisor has no limit to keep: the caller keeps it.
        case taking
        /// Its first answer comes at once, and the others when there is something to say.
        case following
    }

    /// The value of `--timeout`; nil where it was not given.
    let given: WaitLimit?

    /// The kind of a call of `method`.
    static func kind<M: SupervisorInterface.Method>(_ method: M.Type) -> Kind {
        typealias API = SupervisorInterface
        switch M.member {
        case API.List.member, API.Figures.member, API.Describe.member, API.Why.member,
            API.Notifications.member, API.Cat.member,
            API.Pressure.member, API.Cost.member, API.GetLogLevel.member, API.SetLogLevel.member,
            API.Ping.member,
            API.EndInterruption.member, API.Answer.member, API.Transfers.member, API.CancelTransfer.member,
            API.GetLowPower.member, API.SetLowPower.member, API.Activities.member, API.EndHandoff.member:
            return .immediate
        case API.Watch.member, API.Hold.member, API.Interrupt.member, API.Logs.member:
            return .following
        case API.Report.member, API.History.member, API.Doctor.member, API.Post.member, API.Cancel.member,
            API.Reload.member, API.Reexec.member, API.Send.member, API.BeginTransfer.member:
            return .working
        case API.Open.member, API.GiveActivity.member, API.TakeActivity.member: return .taking
        default: return .waiting
        }
    }

    /// How long a supervisor has to accept the connection for a call of that kind; `across` a network, to answer for the first time.
    func connection(for kind: Kind, across isRemote: Bool) -> TimeSpan? {
        if isRemote { return given.map { $0.span } ?? (Console.hasTerminal ? Self.question : Self.login) }
        return switch kind {
        case .immediate, .following: given.map { $0.span } ?? Self.signOfLife
        case .working, .waiting, .taking: Self.signOfLife
        }
    }

    /// How long the answer to a call of that kind may take, once the supervisor has shown that it is there.
    func answer(to kind: Kind) -> TimeSpan? {
        switch kind {
        case .immediate, .following: given.map { $0.span } ?? Self.signOfLife
        case .working: given.map { $0.span } ?? Self.work
        case .taking: given.flatMap { $0.span }
        case .waiting: given.flatMap { $0.span.map { $0 + Self.grace } }
        }
    }
}
