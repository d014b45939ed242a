/// An absolute path in its simplest form: no doubled slashes, no `.`, no `..`.
package struct AbsolutePath: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The path.
    package let text: String

    /// Reads an absolute path and simplifies it; `..` is refused, as systemd does.
    package init(parsing text: String) throws(ValueError) {
        guard text.utf8.first == UInt8(ascii: "/"), let parts = RelativePath.parts(of: text) else {
            throw ValueError(text, isNot: Self.expectation)
        }
        self.text = "/" + parts.joined(separator: "/")
    }

    /// What a path looks like.
    package static var expectation: String { "an absolute path without “..”" }
    /// `%t` and the like are what paths need.
    package static var takesSpecifiers: Bool { true }
    /// The path.
    package var description: String { text }
}

/// A path below a directory that is known elsewhere (`StateDirectory=`).
package struct RelativePath: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The path, without a slash at either end.
    package let text: String

    /// Reads a relative path; `..` is refused.
    package init(parsing text: String) throws(ValueError) {
        guard text.utf8.first != UInt8(ascii: "/"), let parts = Self.parts(of: text), !parts.isEmpty else {
            throw ValueError(text, isNot: Self.expectation)
        }
        self.text = parts.joined(separator: "/")
    }

    /// What such a path looks like.
    package static var expectation: String { "a relative path without “..”" }
    /// `StateDirectory=%n` is what people write.
    package static var takesSpecifiers: Bool { true }
    /// The path.
    package var description: String { text }

    /// The components that count; nil where one of them, or the whole, cannot be a path.
    static func parts(of text: String) -> [String]? {
        guard text.utf8.count < 4096, !text.utf8.contains(where: \.isControl) else { return nil }
        var parts: [String] = []
        for part in text.utf8.split(separator: UInt8(ascii: "/")) {
            let part = String(cut: part)
            if part.isExactly(".") { continue }
            guard part.utf8.count < 256, !part.isExactly("..") else { return nil }
            parts.append(part)
        }
        return parts
    }
}

/// `WorkingDirectory=`: a path or the user's home, and whether it may be missing.
package struct WorkingDirectory: Hashable, Sendable, PlainValue {
    /// Where it is.
    package enum Location: Hashable, Sendable {
        /// The home directory of the worker's user.
        case home
        /// A path.
        case path(AbsolutePath)
    }

    /// Where it is.
    package let location: Location
    /// Whether a missing directory is no error.
    package let mayBeMissing: Bool

    /// The directory at `location`.
    package init(_ location: Location, mayBeMissing: Bool = false) {
        self.location = location
        self.mayBeMissing = mayBeMissing
    }

    /// Reads an absolute path or `~`, after an optional `-`.
    package init(parsing text: String) throws(ValueError) {
        mayBeMissing = text.utf8.first == .dash
        let place = mayBeMissing ? String(cut: text.utf8.dropFirst()) : text
        guard !place.isExactly("~") else {
            location = .home
            return
        }
        guard let path = try? AbsolutePath(parsing: place) else {
            throw ValueError(text, isNot: Self.expectation)
        }
        location = .path(path)
    }

    /// What it looks like.
    package static var expectation: String { AbsolutePath.expectation + ", or ~, after an optional “-”" }
    /// `%S` and the like are what paths need.
    package static var takesSpecifiers: Bool { true }
}

/// A pattern for absolute paths, as glob(7) has them: `*`, `?` and `[…]` match within one component.
package struct PathGlob: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The pattern as it is written.
    package let pattern: String

    /// Reads a pattern that begins with a slash.
    package init(parsing text: String) throws(ValueError) {
        guard text.utf8.first == UInt8(ascii: "/"), text.utf8.count < 4096,
            !text.utf8.contains(where: \.isControl)
        else { throw ValueError(text, isNot: Self.expectation) }
        pattern = text
    }

    /// What a pattern looks like.
    package static var expectation: String { "an absolute path that may contain *, ? and [a-z]" }
    /// A pattern is a path.
    package static var takesSpecifiers: Bool { true }
    /// The pattern.
    package var description: String { pattern }

    /// Whether `path` matches; the time is at most the product of both lengths.
    package func matches(_ path: String) -> Bool {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let globs = pattern.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == globs.count
            && zip(globs, parts).allSatisfy {
                Self.matches(Array(String(cut: $0).unicodeScalars), String(cut: $1))
            }
    }

    private static func matches(_ glob: [Unicode.Scalar], _ text: String) -> Bool {
        let text = Array(text.unicodeScalars)
        var (g, t) = (0, 0)
        // Where the last star stood, and how much of the text it has taken: only the last one has to backtrack.
        var star: (glob: Int, text: Int)?
        while t < text.count {
            if g < glob.count, glob[g] == "*" {
                star = (g, t)
                g += 1
            } else if g < glob.count, let next = one(glob, g, text[t]) {
                g = next
                t += 1
            } else if let last = star {
                star = (last.glob, last.text + 1)
                g = last.glob + 1
                t = last.text + 1
            } else {
                return false
            }
        }
        return glob[g...].allSatisfy { $0 == "*" }
    }

    /// Where the pattern goes on when its element at `start` matches `scalar`; nil when it does not.
    private static func one(_ glob: [Unicode.Scalar], _ start: Int, _ scalar: Unicode.Scalar) -> Int? {
        switch glob[start] {
        case "?": return start + 1
        case "\\" where start + 1 < glob.count: return glob[start + 1] == scalar ? start + 2 : nil
        case "[":
            guard let close = closing(glob, start) else { return scalar == "[" ? start + 1 : nil }
            var members = glob[(start + 1)..<close]
            let negated = members.first == "!" || members.first == "^"
            if negated { members = members.dropFirst() }
            return contains(members, scalar) != negated ? close + 1 : nil
        default: return glob[start] == scalar ? start + 1 : nil
        }
    }

    /// The bracket that closes the one at `start`; one right behind it is a member.
    private static func closing(_ glob: [Unicode.Scalar], _ start: Int) -> Int? {
        var from = start + 1
        if from < glob.count, glob[from] == "!" || glob[from] == "^" { from += 1 }
        guard from < glob.count else { return nil }
        return glob[(from + 1)...].firstIndex(of: "]")
    }

    private static func contains(_ members: ArraySlice<Unicode.Scalar>, _ scalar: Unicode.Scalar) -> Bool {
        var rest = members
        while let low = rest.popFirst() {
            guard rest.count >= 2, rest.first == "-" else {
                if low == scalar { return true }
                continue
            }
            rest = rest.dropFirst()
            guard let high = rest.popFirst() else { return false }
            if low <= scalar, scalar <= high { return true }
        }
        return false
    }
}
