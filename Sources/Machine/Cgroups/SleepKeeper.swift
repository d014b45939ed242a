internal import CLinux
internal import Glibc
internal import Linux
package import Processes

/// A process that lets sleepers run again when we are killed, since nothing in the kernel does: a frozen group stays frozen, and
/// what is stopped stays stopped, whatever becomes of the process that asked for it.
///
/// It costs one fork(2) for each sleep, and ends when the value does. What it has woken has no supervisor any more, as if we had
/// been killed while it was awake.
package final class SleepKeeper {
    /// Its process id; the caller reaps it.
    package let pid: Int32
    private let news: Int32

    /// A keeper of `group`, or of the processes that are named to it later; nil where no process can be made.
    package init?(of group: Cgroup?) {
        let freezer: Int32 =
            if let group { unsafe open(group.file("cgroup.freeze"), O_WRONLY | O_CLOEXEC) } else { -1 }
        defer { if freezer >= 0 { close(freezer) } }
        var news: Int32 = -1
        let pid = unsafe torpor_keep(freezer, &news)
        guard pid > 0 else { return nil }
        self.pid = pid
        self.news = news
    }

    deinit {
        // First: what it would do at the end of its news is not wanted any more.
        kill(pid, SIGKILL)
        close(news)
    }

    /// Has it continue `stopped`, too.
    package func add(_ stopped: [ProcessIdentity]) {
        for process in stopped {
            var pid = process.pid
            // Ignoring a failure: a keeper that was killed keeps nothing.
            _ = unsafe write(news, &pid, MemoryLayout<Int32>.size)
        }
    }
}
