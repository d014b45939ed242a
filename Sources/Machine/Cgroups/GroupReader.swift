internal import Glibc
internal import Linux

/// What one group has used.
package struct GroupUse: Hashable, Sendable {
    /// What it holds of memory now, in bytes; nil without the controller.
    package var memory: Int64?
    /// The processor time of its processes, in microseconds; nil where it cannot be read.
    package var cpu: Int64?
}

/// Reads the figures of many groups one after the other.
///
/// Groups beside each other are cheap: their parent is looked up once, and where one of them has no memory controller none has (cgroups(7): a
/// parent hands controllers down to all its children).
package struct GroupReader: ~Copyable {
    private var parent: Substring = ""
    private var directory: OwnedDescriptor?
    private var hasMemory = true

    /// One that has read nothing.
    package init() {}

    /// The figures of the group at `path`; nothing where it is gone.
    package mutating func use(of path: String) -> GroupUse {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return GroupUse() }
        if path[..<slash] != parent || directory == nil {
            parent = path[..<slash]
            directory = Self.open(String(parent))
            hasMemory = true
        }
        guard let number = directory?.rawValue else { return GroupUse() }
        let name = path[path.utf8.index(after: slash)...]
        var use = GroupUse()
        guard let stat = try? KernelFile.head(of: "\(name)/cpu.stat", at: number) else { return use }
        use.cpu = KeyedCounters.first("usage_usec", in: stat).map { Int64(clamping: $0) }
        guard hasMemory else { return use }
        do throws(LinuxError) {
            let text = try KernelFile.head(of: "\(name)/memory.current", at: number)
            use.memory = Int64(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        } catch {
            // The group itself was there a moment ago.
            if error.errno == ENOENT {
                hasMemory = (try? KernelFile.head(of: "\(name)/cpu.stat", at: number)) == nil
            }
        }
        return use
    }

    private static func open(_ path: String) -> OwnedDescriptor? {
        let number = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        return number < 0 ? nil : OwnedDescriptor(adopting: number)
    }
}
