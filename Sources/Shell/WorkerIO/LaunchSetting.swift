package import Cgroups
package import Launching
package import Linux
internal import Processes
package import SupervisorPorts

/// A child that executes its program, as its thread hands it to the loop.
package struct LaunchedChild: Sendable {
    package let pid: Int32
    /// When it started, which tells it from a later process of the same number.
    package let startTime: UInt64?
    /// The environment that it was launched with.
    package let environment: Environment
    /// Why it was started without its group, where the kernel would not have it there.
    package var groupProblem: LaunchError?
    /// What was found out about its program.
    package var program = LaunchedProgram()
    /// By what its bind(2) is told and answered; nil where that was not wanted, or could not be had.
    package var bindListener: Handoff<OwnedDescriptor>?
    /// Why that could not be had, as in errno(3).
    package var bindErrno: Int32 = 0
    /// Through what it prints to the log of its supervisor; nil where it prints elsewhere.
    package var output: Handoff<OutputPipe>?
}

/// How far a thread has come with a launch.
package enum LaunchProgress: Sendable {
    case launched(LaunchedChild)
    /// Prepared, and to be completed on the loop.
    case prepared(Handoff<PreparedLaunch>)
}

/// What the host adds to a launch that a configuration has prepared.
package struct LaunchSetting: Sendable {
    package var group: Cgroup?
    /// Variables that count whatever the configuration says.
    package var variables: [(String, ByteString)] = []
    /// Variables that count where the first one is not there yet.
    package var defaults: [(String, ByteString)] = []
    /// Whether it is started without its group where the kernel will not have it there.
    package var mayLackGroup = false
    /// What it is passed besides.
    package var passed: PassedDescriptors?
    /// Whether its bind(2) is to be told to the supervisor.
    package var noticesBinds = false

    /// A launch in `group`.
    package init(group: Cgroup?, mayLackGroup: Bool) {
        (self.group, self.mayLackGroup) = (group, mayLackGroup)
    }

    package func apply(to environment: inout Environment) {
        for (name, value) in variables { environment[name] = value }
        guard let first = defaults.first, environment[first.0] == nil else { return }
        for (name, value) in defaults { environment[name] = value }
    }

    package func apply(to request: inout LaunchRequest) {
        apply(to: &request.environment)
        request.cgroup = group
        request.wantsPidfd = false
        request.noticesBinds = noticesBinds
        request.passedDescriptors += passed?.all ?? []
    }

    /// Launches on the calling thread, which may hang.
    package func launch(
        _ prepared: consuming PreparedLaunch, _ ticket: LaunchTicket, outputTo place: OutputPlace
    ) throws(LaunchError) -> LaunchedChild {
        guard prepared.request.inheritsOutput else { return try launch(prepared, ticket) }
        var prepared = prepared
        var pipe = try OutputPipe(for: &prepared, at: place)
        // Of a launch that was given up the name is the next one's.
        do throws(LaunchError) {
            var child = try launch(prepared, ticket)
            if ticket.isCancelled { pipe.fifo?.path = nil }
            child.output = Handoff(pipe)
            return child
        } catch {
            if ticket.isCancelled { pipe.fifo?.path = nil }
            throw error
        }
    }

    /// The same, of one whose output is connected already, or goes elsewhere.
    package func launch(
        _ prepared: consuming PreparedLaunch, _ ticket: LaunchTicket
    ) throws(LaunchError) -> LaunchedChild {
        var prepared = prepared
        var problem: LaunchError?
        let program = prepared.program
        do throws(LaunchError) {
            return LaunchedChild(try prepared.request.launch(ticket: ticket), prepared.request, program, nil)
        } catch {
            guard error.stage == .cgroup, mayLackGroup else { throw error }
            problem = error
            prepared.request.cgroup = nil
        }
        return LaunchedChild(try prepared.request.launch(ticket: ticket), prepared.request, program, problem)
    }
}

extension LaunchedChild {
    fileprivate init(
        _ process: consuming LaunchedProcess, _ request: LaunchRequest, _ program: LaunchedProgram,
        _ problem: LaunchError?
    ) {
        self.init(
            pid: process.pid, startTime: ProcessIdentity(pid: process.pid)?.startTime,
            environment: request.environment, groupProblem: problem, program: program,
            bindErrno: process.bindErrno)
        if let listener = process.takeBindListener() { bindListener = Handoff(listener) }
    }
}
