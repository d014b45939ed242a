internal import Glibc
internal import Linux

/// The device nodes of a directory such as `/dev`.
package enum DeviceNodes {
    /// The most that are listed.
    private static let most = 4096
    /// How deep directories are gone into.
    private static let deepest = 4

    /// The nodes of character and block devices under `path`, as far as its own file system goes: terminals of a mounted devpts(5) are
    /// no devices that udev tells of.
    package static func present(under path: String = "/dev") -> Set<String> {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return [] }
        var nodes: Set<String> = []
        collect(path, on: status.st_dev, depth: 0, into: &nodes)
        return nodes
    }

    private static func collect(
        _ path: String, on device: dev_t, depth: Int, into nodes: inout Set<String>
    ) {
        for name in Directory.entries(of: path) {
            guard nodes.count < most else { return }
            let entry = "\(path)/\(name)"
            var status = stat()
            // Gone since it was listed: its removal is told of.
            guard unsafe lstat(entry, &status) == 0, status.st_dev == device else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFCHR, S_IFBLK: nodes.insert(entry)
            case S_IFDIR where depth < deepest: collect(entry, on: device, depth: depth + 1, into: &nodes)
            default: break
            }
        }
    }
}
