internal import Glibc
package import Linux

/// A file in which the kernel tells of memory pressure, and takes thresholds for a wake-up
/// (Documentation/accounting/psi.rst).
package struct PressureFile: Hashable, Sendable {
    /// Where it is.
    package let path: String

    package static let machine = PressureFile(path: "/proc/pressure/memory")

    /// The file at `path`.
    package init(path: String) {
        self.path = path
    }

    /// The file of `group`.
    package init(of group: Cgroup) { path = group.pressurePath }

    /// Whether it is there; a group has none where the kernel counts no pressure.
    package var exists: Bool { unsafe access(path, F_OK) == 0 }

    /// What it says now; nil where it is not there, or the kernel was started without it (`psi=0`).
    package func text() -> String? { try? KernelFile.text(path) }

    /// Sets a threshold, as `some 200000 2000000`, on a descriptor of its own, which lives as long as that.
    ///
    /// poll(2) tells of it by POLLPRI, once in each window at most, and of the group's end by POLLERR. For a process with
    /// CAP_SYS_RESOURCE each has a thread of the kernel's; others may only have windows of whole multiples of 2 s.
    package func open(threshold: String) throws(PressureFileError) -> OwnedDescriptor {
        let raw = unsafe Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard raw >= 0 else { throw PressureFileError(.last("open", path)) }
        let descriptor = OwnedDescriptor(adopting: raw)
        // The last byte is overwritten.
        var text = Array(threshold.utf8) + [0]
        let count = unsafe write(raw, &text, text.count)
        guard count >= 0 else { throw PressureFileError(.last("write", path)) }
        return descriptor
    }
}

/// Why the kernel gives no wake-up at a threshold.
package struct PressureFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of reasons.
    package enum Code: Hashable, Sendable {
        /// The file is not there: its group is gone, or the kernel counts no pressure.
        case missing
        /// The window is not one that this process may have, or none at all (EINVAL).
        case windowRefused
        /// A threshold is set there already (EBUSY).
        case busy
        /// This process may not set it (EPERM, EACCES).
        case notPermitted
        /// Something else, such as no descriptor left.
        case other
    }

    package let code: Code
    package let failure: LinuxError

    init(_ failure: LinuxError) {
        self.failure = failure
        code =
            switch failure.errno {
            case ENOENT, ENODEV, EOPNOTSUPP: .missing
            case EINVAL: .windowRefused
            case EBUSY: .busy
            case EPERM, EACCES: .notPermitted
            default: .other
            }
    }

    /// What to do about it, in a sentence.
    package var description: String {
        let remedy =
            switch code {
            case .missing: "boot with psi=1, unless the cgroup was just removed"
            case .windowRefused: "without CAP_SYS_RESOURCE only windows of multiples of 2 s are accepted"
            case .busy: "only one threshold per descriptor"
            case .notPermitted: "run as root, or on Linux 6.5 or later"
            case .other: "using available memory instead"
            }
        return "\(failure) (\(remedy))"
    }
}
