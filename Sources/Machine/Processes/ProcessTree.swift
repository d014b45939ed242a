internal import Linux

/// All processes that can be seen, and their descent, as /proc showed them during one walk.
///
/// The walk is not one moment: what starts or ends meanwhile may be there or not. It costs some 10 µs for each process
/// of the machine.
package struct ProcessTree: Sendable {
    /// The processes by their pid.
    package let processes: [Int32: ProcessStat]
    private let childrenByParent: [Int32: [Int32]]

    /// A tree of these processes.
    package init(_ processes: [ProcessStat]) {
        self.processes = Dictionary(processes.map { ($0.pid, $0) }) { _, later in later }
        childrenByParent = Dictionary(grouping: processes, by: \.parent).mapValues { $0.map(\.pid) }
    }

    /// Walks /proc; processes that vanish meanwhile are passed over.
    package static func snapshot() -> ProcessTree {
        ProcessTree(
            Directory.entries(of: "/proc").compactMap { Int32($0) }.compactMap(ProcessStat.read(pid:)))
    }

    /// The children of `pid`.
    package func children(of pid: Int32) -> [Int32] { childrenByParent[pid] ?? [] }

    /// The children of `pid`, their children and so on, without `pid` itself.
    package func descendants(of pid: Int32) -> Set<Int32> {
        var found: Set<Int32> = []
        var open = [pid]
        while let next = open.popLast() {
            // A pid given again during the walk could close a circle.
            open += children(of: next).filter { $0 != pid && found.insert($0).inserted }
        }
        return found
    }

    /// The processes of session `session`.
    package func members(ofSession session: Int32) -> Set<Int32> {
        Set(processes.values.filter { $0.session == session }.map(\.pid))
    }

    /// The children of `pid` now, without a walk over all processes where the kernel lists them.
    ///
    /// The list may lack one when a child ends while it is read (proc_tid_children(5)): good to look at, not to decide by.
    package static func currentChildren(of pid: Int32) -> [Int32] {
        var children: [Int32] = []
        let threads = Directory.entries(of: "/proc/\(pid)/task")
        for thread in threads {
            do {
                let list = try KernelFile.text("/proc/\(pid)/task/\(thread)/children")
                children += list.fields(at: " ").compactMap { Int32($0) }
            } catch {
                // A kernel without these lists, unless the process is just gone.
                if ProcessStat.read(pid: pid) != nil && thread == String(pid) {
                    return snapshot().children(of: pid)
                }
            }
        }
        return children
    }
}
