internal import Glibc

/// The names in a directory of the kernel's.
enum Directory {
    /// The entries of the directory at `path` in no order, `.` and `..` left out; none when it cannot be read.
    static func entries(of path: String, onlyDirectories: Bool = false) -> [String] {
        guard let stream = unsafe opendir(path) else { return [] }
        defer { unsafe _ = closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            if onlyDirectories, unsafe Int32(entry.pointee.d_type) != Int32(DT_DIR) { continue }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
