internal import Glibc
package import Linux

extension Cgroup {
    /// What cgroups(7) calls a controller: it shares one resource among groups.
    package enum Controller: String, Hashable, Sendable, CaseIterable {
        /// Processor time.
        case cpu
        /// Disks.
        case io
        /// Memory.
        case memory
        /// The number of processes.
        case pids
    }

    /// The controllers that it could hand down to the groups below it.
    package func availableControllers() -> Set<Controller> { controllers("cgroup.controllers") }

    /// The controllers that the groups below it have.
    package func enabledControllers() -> Set<Controller> { controllers("cgroup.subtree_control") }

    /// Hands `controller` down to the groups below it.
    ///
    /// Fails with EBUSY where it has processes of its own: only the groups at the ends may have any then. The kernel
    /// itself would take a threaded controller like the processor's all the same, and no process could be started below
    /// the group any more (cgroups(7), "domain invalid"). The root of the tree, which has no type, may have both.
    package func enable(_ controller: Controller) throws(LinuxError) {
        if unsafe access(file("cgroup.type"), F_OK) == 0, try !ownProcesses().isEmpty {
            throw LinuxError(errno: EBUSY, call: "write", subject: file("cgroup.subtree_control"))
        }
        try KernelFile.write("+\(controller.rawValue)", to: file("cgroup.subtree_control"))
    }

    /// Takes `controller` back from the groups below it.
    package func disable(_ controller: Controller) throws(LinuxError) {
        try KernelFile.write("-\(controller.rawValue)", to: file("cgroup.subtree_control"))
    }

    /// Its share of the processors among its siblings, from 1 to 10000 (`cpu.weight`).
    package func setCPUWeight(_ weight: Int) throws(LinuxError) {
        do throws(LinuxError) {
            try KernelFile.write(String(weight), to: file("cpu.weight"))
        } catch {
            // An idle group takes no weight.
            guard error.errno == EINVAL else { throw error }
            try KernelFile.write("0", to: file("cpu.idle"))
            try KernelFile.write(String(weight), to: file("cpu.weight"))
        }
    }

    /// Leaves it the processors only where no other task wants them (`cpu.idle`, Linux 5.15).
    package func setCPUIdle() throws(LinuxError) {
        try KernelFile.write("1", to: file("cpu.idle"))
    }

    /// Its share of the disks among its siblings, from 1 to 10000: `io.weight`, or `io.bfq.weight` where only that scheduler
    /// weighs.
    package func setIOWeight(_ weight: Int) throws(LinuxError) {
        do throws(LinuxError) {
            try KernelFile.write("default \(weight)", to: file("io.weight"))
        } catch {
            guard error.errno == ENOENT else { throw error }
            // Its range ends at 1000.
            try KernelFile.write("default \(min(weight, 1000))", to: file("io.bfq.weight"))
        }
    }

    private func controllers(_ name: String) -> Set<Controller> {
        let text = (try? KernelFile.text(file(name))) ?? ""
        return Set(text.split(whereSeparator: \.isWhitespace).compactMap { Controller(rawValue: String($0)) })
    }
}
