internal import Glibc
package import Linux

extension CgroupTree {
    /// Moves process `pid`, this process by default, into the leaf ``supervisorLeaf`` if it lives in the base itself; true when it did.
    ///
    /// A group that hands controllers down has no process of its own (cgroups(7), "no internal processes"): with one in
    /// it, the kernel refuses some controllers, and takes others but starts no process below it any more. Where the base
    /// is not delegated, the supervisor does not live in it, and nothing is done.
    @discardableResult package func moveIntoLeaf(process pid: Int32? = nil) throws(LinuxError) -> Bool {
        let pid = pid ?? getpid()
        guard isDelegated, try base.ownProcesses().contains(pid), let name = CgroupName(Self.supervisorLeaf)
        else { return false }
        try base.makeChild(name).adopt(process: pid)
        return true
    }
}
