internal import Cgroups
package import Processes

/// The nice levels of processes whose CPU use is held down where no controller does that (`CPULimit=`).
package enum NiceLevels {
    /// Gives `processes` the lowest level, and answers what those had before that it has changed.
    package static func lower(_ processes: [Int32]) -> [ProcessIdentity: Int32] {
        var before: [ProcessIdentity: Int32] = [:]
        for pid in processes {
            guard let process = ProcessIdentity(pid: pid), let nice = NiceLevel.of(pid), nice < 19 else {
                continue
            }
            // Ignoring a failure: it has ended meanwhile.
            if (try? NiceLevel.set(19, of: pid)) != nil { before[process] = nice }
        }
        return before
    }

    /// Gives processes their levels back, as far as they are still there.
    package static func restore(_ levels: [ProcessIdentity: Int32]) {
        for (process, nice) in levels where ProcessIdentity(pid: process.pid) == process {
            // Ignoring a failure: only a process that may raise priorities can undo it.
            try? NiceLevel.set(nice, of: process.pid)
        }
    }
}
