package import ControlAPI
package import Linux

extension SupervisorInterface.Finding {
    /// Nothing was looked at: no thread could be created for that, because of `error`.
    package static func noThread(_ error: LinuxError) -> SupervisorInterface.Finding {
        SupervisorInterface.Finding(
            capability: "threads", available: false,
            detail: "no thread can be created, so that nothing else was examined: \(error.reason)",
            remedy:
                "raise the TasksMax= of the supervisor's unit or its limit of processes ('ulimit -u'), or end other processes"
        )
    }
}
