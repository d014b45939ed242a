import Cgroups
import Glibc
import Launching
import Linux

/// Times the supervisor's own steps in one small process, as `bare.c` times the system calls below them.
///
/// It prints the same names: `name value unit`.
@main
struct TorporBench {
    static func main() throws {
        Queueing().measure()
        try Recording().measure()
        guard case .cgroup(let tree) = FreezeMethod.detect() else {
            print("no group can be made here, so nothing was measured")
            exit(1)
        }
        guard let name = CgroupName("torpor-bench-\(getpid())") else { return }
        let base = try tree.base.makeChild(name)
        defer { try? base.remove(patience: 1_000_000) }
        try Launches(base: base).measure()
        try Freezes(base: base).measure()
    }
}

/// Launches of `/bin/true`, each into a new group: until it executes, and until it is reaped and its group is gone.
struct Launches {
    let base: Cgroup

    func measure() throws {
        var executed = Spread("launch.exec")
        var whole = Spread("launch.whole")
        let template = LaunchRequest("/bin/true", environment: .current)
        for round in -50..<500 {
            guard let name = CgroupName("w\(round + 50)") else { return }
            let begin = now()
            let group = try base.makeChild(name)
            var request = template
            request.cgroup = group
            var child = try request.launch()
            let middle = now()
            if let pidfd = child.takePidfd() { awaitEnd(of: pidfd) }
            _ = try ChildReaper(scope: .process(child.pid)).drain()
            try group.remove()
            guard round >= 0 else { continue }
            executed.add(middle - begin)
            whole.add(now() - begin)
        }
        executed.tell()
        whole.tell()
    }
}

/// Freezes and thaws of a sleeping process's group, each until the kernel has confirmed it.
struct Freezes {
    let base: Cgroup

    func measure() throws {
        guard let name = CgroupName("sleeper") else { return }
        let group = try base.makeChild(name)
        var request = LaunchRequest("/bin/sleep", ["1000"], environment: .current)
        request.cgroup = group
        var child = try request.launch()
        usleep(50_000)
        var frozen = Spread("freezer.freeze")
        var thawed = Spread("freezer.thaw")
        for _ in 0..<500 {
            let begin = now()
            guard try group.freeze() == .done else { continue }
            let middle = now()
            _ = try group.thaw()
            frozen.add(middle - begin)
            thawed.add(now() - middle)
            // What was thawed runs and sleeps again, as a worker would.
            usleep(200)
        }
        try group.kill()
        if let pidfd = child.takePidfd() { awaitEnd(of: pidfd) }
        _ = try ChildReaper(scope: .process(child.pid)).drain()
        try group.remove()
        frozen.tell()
        thawed.tell()
    }
}

/// Many lengths of time of one step, in microseconds.
struct Spread {
    let name: String
    private var values: [Double] = []

    init(_ name: String) {
        self.name = name
    }

    mutating func add(_ value: Double) { values.append(value) }

    func tell() {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return }
        print("\(name).median \(sorted[sorted.count / 2]) us")
        print("\(name).p90 \(sorted[sorted.count * 9 / 10]) us")
    }
}

/// The steady clock in microseconds.
func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

/// Returns when the process has ended.
func awaitEnd(of pidfd: borrowing Pidfd) {
    var query = pollfd(fd: pidfd.descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&query, 1, -1) < 0 {}
}
