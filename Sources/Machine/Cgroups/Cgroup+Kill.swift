internal import Glibc
package import Linux

extension Cgroup {
    /// Sends SIGKILL to every process of the group and below, frozen ones too; a group that is gone is no failure.
    ///
    /// By `cgroup.kill`, which forks cannot outrun; before Linux 5.14 process by process until none is left, at most
    /// `passes` times, which fails with EAGAIN when new ones keep coming. The end itself is told by `cgroup.events`.
    package func kill(passes: Int = 100) throws(LinuxError) {
        do {
            try KernelFile.write("1", to: file("cgroup.kill"))
        } catch {
            // EOPNOTSUPP: a group of threads, which its parent's processes own.
            guard error.errno == ENOENT || error.errno == EOPNOTSUPP else { throw error }
            try killOneByOne(passes)
        }
    }

    private func killOneByOne(_ passes: Int) throws(LinuxError) {
        for _ in 0..<passes {
            let living: [Int32]
            do { living = try processes() } catch {
                if error.errno == ENOENT || error.errno == ENODEV { return }
                throw error
            }
            if living.isEmpty { return }
            for pid in living { try killOne(pid) }
            usleep(500)
        }
        throw LinuxError(errno: EAGAIN, call: "kill", subject: path)
    }

    private func killOne(_ pid: Int32) throws(LinuxError) {
        do { try Signal.kill.send(toProcess: pid) } catch {
            // Gone between the list and the signal: what was wanted.
            if error.errno != ESRCH { throw error }
        }
    }
}
