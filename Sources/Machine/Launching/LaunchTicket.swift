internal import CLinux
internal import Glibc
internal import Linux
internal import Synchronization

/// One launch that a thread carries out, as the thread sees it that has ordered it.
///
/// The pid is told by the kernel before the child runs (CLONE_PARENT_SETTID, clone(2)), so that a child that hangs between
/// clone3(2) and execve(2) can be ended. The pid stays the child's until the child is reaped, which is the business of
/// the thread that has ordered the launch, and of no other.
@safe package final class LaunchTicket: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: `told` never changes, and what it points to is read and written atomically; the rest has
    // locks of its own.
    let told: UnsafeMutablePointer<torpor_told>
    private let cancelled = Atomic(false)
    private let subjects = Mutex(Subjects())

    private struct Subjects {
        var program = ""
        var directory = ""
    }

    /// A launch that has not begun.
    package init() {
        unsafe told = .allocate(capacity: 1)
        unsafe told.initialize(to: torpor_told())
    }

    deinit { unsafe told.deallocate() }

    /// The child's pid; nil while there is no child.
    package var pid: Int32? {
        let pid = unsafe torpor_told(told).pid
        return pid > 0 ? pid : nil
    }

    /// From now on it is not wanted any more: what has not been begun is left.
    package func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// Whether it is not wanted any more.
    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// What is being launched, for ``timeout``.
    func begin(_ request: LaunchRequest) {
        subjects.withLock {
            $0.program = request.executable.description
            $0.directory = request.workingDirectory?.description ?? ""
        }
    }

    /// The failure of a launch that does not come to its end: at which step, and on what.
    package var timeout: LaunchError {
        let subjects = subjects.withLock { $0 }
        return switch LaunchError.Stage(unsafe torpor_told(told).step) {
        case .workingDirectory:
            LaunchError(stage: .workingDirectory, errno: ETIMEDOUT, subject: subjects.directory)
        case .exec: LaunchError(stage: .exec, errno: ETIMEDOUT, subject: subjects.program)
        default:
            LaunchError(
                stage: .preparation, errno: ETIMEDOUT,
                subject: subjects.program.isEmpty
                    ? "the launch could not be prepared" : "\(subjects.program) could not be started")
        }
    }
}
