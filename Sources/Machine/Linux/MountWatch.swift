internal import Glibc

/// The table of mounts, by a descriptor that polls exceptional when it changes (proc(5)).
package struct MountWatch: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor
    private let path: String

    /// Watches the table at `path`.
    package init(_ path: String = "/proc/self/mountinfo") throws(LinuxError) {
        self.path = path
        descriptor = try OwnedDescriptor.open(path, for: .reading)
    }

    /// The descriptor, borrowed: wait for it to be urgent.
    package var rawValue: Int32 { descriptor.rawValue }

    /// The table as it is now.
    package borrowing func read() throws(LinuxError) -> String { try KernelFile.text(path) }
}
