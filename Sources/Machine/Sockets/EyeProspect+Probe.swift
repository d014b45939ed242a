internal import CLinux
internal import Glibc
package import Idleness
package import Lifecycle
internal import Linux

extension EyeProspect {
    /// What this process may do, which is tried on a child that is gone when this returns; where it samples, each `interval`.
    package static func probe(samplingEach interval: TimeSpan) -> EyeProspect {
        var opened: Int32 = 0
        let result = unsafe torpor_getfd_of_child(&opened)
        let call = opened == 1 ? "pidfd_getfd" : "pidfd_open"
        let attempt: Attempt =
            switch -result {
            case 0: .granted
            case EPERM, EACCES: .refused
            case ENOSYS: .missing
            default: .failed("\(LinuxError(errno: -result, call: call))")
            }
        let scope = (try? KernelFile.text("/proc/sys/kernel/yama/ptrace_scope"))
            .flatMap { $0.lines.first.flatMap { Int($0) } }
        return EyeProspect(
            attempt: attempt, call: call, canList: SockDiag.problem == nil, isRoot: ThisProcess.isRoot,
            // CAP_SYS_PTRACE (capabilities(7)).
            mayTrace: ThisProcess.hasCapability(19), scope: scope, isFiltered: ThisProcess.isFiltered,
            interval: interval)
    }
}

extension SockDiag {
    /// Why listening sockets cannot be listed here; nil where they can.
    package static var problem: String? {
        do throws(LinuxError) {
            var diag = try SockDiag()
            _ = try diag.dump(.listening)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
