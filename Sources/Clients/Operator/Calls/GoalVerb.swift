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
    /// The word of the command line.
    package static var verb: String { "activate" }
    /// What the verb does.
    package static var abstract: String { "Bring workers into the foreground; launch those that do not run." }
    /// What is waited for.
    package static var expectation: String { "to be active" }
}

extension SupervisorInterface.Resign: GoalVerb {
    /// The word of the command line.
    package static var verb: String { "resign" }
    /// What the verb does.
    package static var abstract: String { "Make active workers inactive until they are activated." }
    /// What is waited for.
    package static var expectation: String { "to be inactive" }
}

extension SupervisorInterface.Background: GoalVerb {
    /// The word of the command line.
    package static var verb: String { "background" }
    /// What the verb does.
    package static var abstract: String { "Send workers to the background, and keep them there." }
    /// What is waited for.
    package static var expectation: String { "to be in the background" }
}

extension SupervisorInterface.Suspend: GoalVerb {
    /// The word of the command line.
    package static var verb: String { "suspend" }
    /// What the verb does.
    package static var abstract: String { "Send workers to sleep, through the background." }
    /// What is waited for.
    package static var expectation: String { "to be suspended" }
}

extension SupervisorInterface.Resume: GoalVerb {
    /// The word of the command line.
    package static var verb: String { "resume" }
    /// What the verb does.
    package static var abstract: String { "Wake workers, and restore the goal they had before they slept." }
    /// What is waited for.
    package static var expectation: String { "to be awake" }
}

extension SupervisorInterface.Restart: GoalVerb {
    /// The word of the command line.
    package static var verb: String { "restart" }
    /// What the verb does.
    package static var abstract: String {
        "End workers the graceful way, and launch them again to where they were."
    }
    /// What is waited for.
    package static var expectation: String { "to be back" }
}

extension SupervisorInterface.Terminate: GoalVerb {
    /// The word of the command line.
    package static var verb: String { "terminate" }
    /// What the verb does.
    package static var abstract: String { "End workers the graceful way." }
    /// What is waited for.
    package static var expectation: String { "to end" }
}

extension SupervisorInterface.Kill: GoalVerb {
    /// The word of the command line.
    package static var verb: String { "kill" }
    /// What the verb does.
    package static var abstract: String { "End workers at once; no event brings them back (force-quit)." }
    /// What is waited for.
    package static var expectation: String { "to end" }
}
