package import Linux

/// All that a path's meaning depends on: its directories and links, to the file that it leads to, if any.
///
/// Pure: `look` says what a path without links in its directories is. Each step is watched by itself, for its own removal
/// and replacement, and not its directory for names that come and go: what other programs do there wakes no thread. Only where
/// something is missing its directory is watched, for that one name.
package struct PathChain: Hashable, Sendable {
    /// One place to watch.
    package struct Step: Hashable, Sendable {
        /// The place, without links in its directories.
        package let path: String
        /// What for.
        package let role: Role

        /// A place and its role.
        package init(_ path: String, _ role: Role) {
            self.path = path
            self.role = role
        }
    }

    /// What a place is watched for.
    package enum Role: Hashable, Sendable {
        /// It may be moved, removed or replaced: a directory or a link on the way.
        case passed
        /// This name may appear in it.
        case awaits(String)
        /// This name may disappear from it: the directory in which something is awaited.
        case loses(String)
        /// Its content may change: a file.
        case file
        /// What is in it may change: a directory.
        case directory
    }

    /// The places, in the order in which the path goes through them.
    package private(set) var steps: [Step] = []
    /// Where the path leads; nil while it leads nowhere.
    package private(set) var target: String?

    /// As the kernel has it (path_resolution(7)).
    private static let mostLinks = 40

    /// Follows `path`, which is absolute.
    package init(_ path: String, look: (String) -> PathEntry) {
        var ahead = Self.parts(path)
        var current = ""
        var links = 0
        while let name = ahead.popLast() {
            if name == ".." {
                current = Self.parent(current)
                continue
            }
            let next = "\(current)/\(name)"
            switch look(next) {
            case .missing:
                stop(at: current, missing: name)
                return
            case .link(let text):
                add(next, .passed)
                links += 1
                guard links <= Self.mostLinks else { return }
                if text.utf8.first == UInt8(ascii: "/") { current = "" }
                ahead += Self.parts(text)
            case .directory:
                current = next
                add(next, ahead.isEmpty ? .directory : .passed)
            case .file:
                add(next, ahead.isEmpty ? .file : .passed)
                target = ahead.isEmpty ? next : nil
                return
            }
        }
        if current.isEmpty { add("/", .directory) }
        target = current.isEmpty ? "/" : current
    }

    private mutating func stop(at directory: String, missing name: String) {
        add(directory.isEmpty ? "/" : directory, .awaits(name))
        // A directory that a process holds open does not tell of its removal.
        guard !directory.isEmpty, let slash = directory.lastIndex(of: "/") else { return }
        let parent = Self.parent(directory)
        add(parent.isEmpty ? "/" : parent, .loses(String(directory[directory.index(after: slash)...])))
    }

    private mutating func add(_ path: String, _ role: Role) {
        let step = Step(path, role)
        if !steps.contains(step) { steps.append(step) }
    }

    /// The components of a path, the last one first.
    private static func parts(_ path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.map(String.init).reversed()
    }

    private static func parent(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}
