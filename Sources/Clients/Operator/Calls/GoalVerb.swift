package import ControlAPI

/// A verb that sets a goal and may wait until it is reached.
package protocol GoalVerb: SupervisorInterface.Method
where Parameters == SupervisorInterface.GoalParameters, Reply == SupervisorInterface.GoalReply {
    /// The word of the command line.
    static var verb: String { get }
    /// What the verb does, as a line of help.
    static var abstract: String { get }
    /// What is waited for, as `to be active`.
    static var expectation: String { get }
}

extension SupervisorInterface.Activate: GoalVerb {
    package static var verb: String { "activate" }
    package static var abstract: String { "Move workers to the foreground; launch those that do not run." }
    package static var expectation: String { "to be active" }
}

extension SupervisorInterface.Resign: GoalVerb {
    package static var verb: String { "resign" }
    package static var abstract: String { "Make active workers inactive until they are activated." }
    package static var expectation: String { "to be inactive" }
}

extension SupervisorInterface.Background: GoalVerb {
    package static var verb: String { "background" }
    package static var abstract: String { "Move workers to the background and keep them there." }
    package static var expectation: String { "to be in the background" }
}

extension SupervisorInterface.Suspend: GoalVerb {
    package static var verb: String { "suspend" }
    package static var abstract: String { "Put workers to sleep, through the background." }
    package static var expectation: String { "to be suspended" }
}

extension SupervisorInterface.Resume: GoalVerb {
    package static var verb: String { "resume" }
    package static var abstract: String { "Wake workers and restore the goal they had before they slept." }
    package static var expectation: String { "to be awake" }
}

extension SupervisorInterface.Restart: GoalVerb {
    package static var verb: String { "restart" }
    package static var abstract: String {
        "Stop workers gracefully and launch them again into their previous state."
    }
    package static var expectation: String { "to be back" }
}

extension SupervisorInterface.Terminate: GoalVerb {
    package static var verb: String { "terminate" }
    package static var abstract: String { "Stop workers gracefully." }
    package static var expectation: String { "to end" }
}

extension SupervisorInterface.Kill: GoalVerb {
    package static var verb: String { "kill" }
    package static var abstract: String { "Kill workers at once; no event brings them back (force-quit)." }
    package static var expectation: String { "to end" }
}
