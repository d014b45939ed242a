internal import Glibc

extension OwnedDescriptor {
    /// A descriptor that does nothing but keep a number: given up when there are no others, it lets one more
    /// call succeed.
    package static func spare() throws(LinuxError) -> OwnedDescriptor {
        let path = "/dev/null"
        return OwnedDescriptor(
            adopting: try unsafe check(Glibc.open(path, O_RDONLY | O_CLOEXEC), "open", path))
    }
}
