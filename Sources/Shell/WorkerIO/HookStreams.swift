package import Launching
package import Linux
package import SupervisorPorts

/// The ends of a hook's pipes that its process gets.
package struct HookStreams: Sendable {
    package let errors: Handoff<OwnedDescriptor>
    /// Where its standard output is the answer.
    package let answer: Handoff<OwnedDescriptor>?

    package init(errors: Handoff<OwnedDescriptor>, answer: Handoff<OwnedDescriptor>?) {
        (self.errors, self.answer) = (errors, answer)
    }

    /// Puts them in their places; the copies are closed with the launch.
    package func connect(_ launch: inout PreparedLaunch) throws(LaunchError) {
        do throws(LinuxError) {
            let errors = launch.keep(try errors.take())
            launch.request.standardError = .copied(from: errors)
            launch.request.standardOutput = .copied(from: errors)
            guard let answer else { return }
            launch.request.standardOutput = .copied(from: launch.keep(try answer.take()))
        } catch {
            throw LaunchError(stage: .preparation, errno: error.errno, subject: "the pipes of a hook")
        }
    }
}
