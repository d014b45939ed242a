import ControlClient
import Glibc
import Operator
import Supervisor

extension Failure {
    /// What it means to the operator that a call of `method` has no result.
    init(_ error: ControlClientError, calling method: String, at socket: String) {
        switch error.code {
        case .failed(let answer), .refused(let answer): self.init(answer, calling: method)
        case .noSupervisor:
            self.init(
                .unavailable,
                "no supervisor listens at \(socket) (\(String(cString: strerror(error.errno)))); start torpord, "
                    + "or specify its socket with --socket PATH",
                isNobodyThere: true)
        case .notAllowed: self.init(.notAllowed, error.description)
        case .timedOut, .interrupted: self.init(.tryAgain, error.description)
        case .disconnected, .readerGone, .badAnswer, .noBridge, .system:
            self.init(.unavailable, error.description)
        }
    }
}
