/// Where something is mounted (`/proc/self/mountinfo`, proc(5)).
package struct MountTable: Hashable, Sendable {
    /// The places, without escapes.
    package let points: Set<String>

    /// Reads the kernel's table; lines that are none are left out.
    package init(_ text: String) {
        var points: Set<String> = []
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
            guard fields.count > 4, fields[4].first == UInt8(ascii: "/") else { continue }
            points.insert(Self.unescaped(fields[4]))
        }
        self.points = points
    }

    /// Undoes `\040` and its like.
    private static func unescaped(_ field: Substring.UTF8View.SubSequence) -> String {
        var bytes: [UInt8] = []
        var rest = field[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            guard byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(3)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Which protected data is there, and what is to be told of it.
package struct ProtectedData: Hashable, Sendable {
    /// Each path, and whether it is there; nil before it has been looked at.
    package private(set) var isThere: [String: Bool]

    /// Paths of which nothing is known.
    package init() {
        isThere = [:]
    }

    /// Whether a path counts as there: what can be looked at, but not an empty directory in which nothing is mounted, since
    /// that is what is left of a mount.
    package static func counts(exists: Bool, isEmptyDirectory: Bool, isMountPoint: Bool) -> Bool {
        exists && (isMountPoint || !isEmptyDirectory)
    }

    /// Takes in how a path stands; true when it stood otherwise before.
    package mutating func take(_ path: String, isThere now: Bool) -> Bool {
        let before = isThere.updateValue(now, forKey: path)
        return before != nil && before != now
    }

    /// Forgets all paths but these.
    package mutating func keep(_ paths: Set<String>) {
        isThere = isThere.filter { paths.contains($0.key) }
    }

    /// Whether all of these are there.
    package func hasAll(_ paths: Set<String>) -> Bool { paths.allSatisfy { isThere[$0] ?? false } }
}
