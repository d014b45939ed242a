package import Launching
package import Linux
package import SupervisorPorts

extension Handoff<PreparedLaunch> {
    /// Takes the prepared launch out, once.
    package func takeLaunch() throws(LaunchError) -> PreparedLaunch {
        do throws(LinuxError) {
            return try take()
        } catch {
            throw LaunchError(stage: .preparation, errno: error.errno, subject: error.subject)
        }
    }
}

extension LaunchRequest {
    /// Whether its standard output or error is that of the supervisor.
    package var inheritsOutput: Bool { standardOutput == .inherited || standardError == .inherited }
}
