import Cgroups
internal import Foundation
internal import Linux

extension Capability {
    /// A program of the system's.
    package static func program(_ path: String) -> Capability {
        Capability(path) { access(path, X_OK) == 0 ? nil : "it is not installed" }
    }

    /// A cgroup v2 tree in which groups may be made here.
    package static let cgroupV2Writable = Capability("cgroup v2 writable") {
        guard case .signals(let reason) = FreezeMethod.detect() else { return nil }
        return reason
    }

    /// A group of cgroup v2 with pressure, and the memory controller on v1 to make it with.
    package static let realPressure = Capability(
        "pressure of a v2 group, and a limit of a v1 group to make it with"
    ) {
        guard case .cgroup(let tree) = FreezeMethod.detect() else { return "no cgroup v2 tree of ours" }
        guard PressureFile(of: tree.base).text() != nil else {
            return "\(tree.base.path) has no memory.pressure"
        }
        guard let legacy = LegacyMemory.mountPoint(), access(legacy, W_OK) == 0 else {
            return "the memory controller is not on cgroup v1, or not ours"
        }
        return nil
    }

    /// A mount namespace of the test's own.
    package static let ownMounts = Capability("mounts of the test's own") {
        failure(
            ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"],
            "unshare -m, or a mount in it, is not allowed")
    }

    /// A network namespace of the test's own.
    package static let networkNamespaces = Capability("network namespaces") {
        failure(["unshare", "-n", "true"], "unshare -n is not allowed")
    }

    /// Nil where a command succeeds.
    private static func failure(_ command: [String], _ words: String) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardError = FileHandle.nullDevice
        // Ignoring why it does not start: it has not succeeded then.
        guard (try? process.run()) != nil else { return "\(command[0]) cannot be started" }
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : words
    }
}
