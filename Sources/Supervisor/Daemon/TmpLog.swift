internal import ControlAPI
internal import Glibc
internal import Lifecycle
internal import Linux
internal import WorkerFile
final class ChangeLog {
    var level: LogLevel
    init(level: LogLevel) { self.level = level }
    func warn(_ s: String) { StandardError.write("warn \(s)\n") }
    func note(_ s: String) { StandardError.write("note \(s)\n") }
    func error(_ s: String) { StandardError.write("error \(s)\n") }
    func write(_ n: Notice, of name: String) { if let l = Narrator(name: name).line(for: n) { StandardError.write("\(name): \(l)\n") } }
}
struct Doctor { let method: FreezeMethod; let options: DaemonOptions; var findings: [SupervisorInterface.Finding] { [] } }
