internal import Glibc
package import Linux

extension ThisProcess {
    /// Kills and reaps all that descends from this process, which has to be its subreaper, except for `spared` and what descends from those.
    package static func endDescendants(except spared: Set<Int32>) {
        for _ in 0..<200 {
            let left = ProcessTree.currentChildren(of: pid).filter { !spared.contains($0) }
            guard !left.isEmpty else { return }
            for child in left { Signal.kill.send(toChild: child) }
            // What they leave becomes a child of this process.
            _ = try? ChildReaper().drain()
            usleep(5_000)
        }
    }
}
