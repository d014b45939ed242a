package import ConfigurationSyntax

/// What tells the saved state of one version of a program from that of another (`StateVersion=`, 1.6).
package struct StateVersion: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The version that the file names; nil is the build id of the program, as far as it has one.
    package let name: String?
    /// Whether state of another version is dropped instead of restored.
    package let isStrict: Bool

    /// The build id of the program, and state of another version is restored.
    package static let usual = StateVersion(name: nil, isStrict: false)

    private init(name: String?, isStrict: Bool) {
        (self.name, self.isStrict) = (name, isStrict)
    }

    /// Reads `VERSION`, `VERSION:strict`, or `strict` alone for the build id.
    package init(parsing text: String) throws(ValueError) {
        if text == Self.strict {
            self.init(name: nil, isStrict: true)
            return
        }
        let isStrict = text.hasSuffix(":" + Self.strict)
        let name = isStrict ? String(text.dropLast(Self.strict.count + 1)) : text
        guard Self.isName(name), name != Self.strict else { throw ValueError(text, isNot: Self.expectation) }
        self.init(name: name, isStrict: isStrict)
    }

    /// Whether `name` can be a version: 1 to 128 letters, digits and `.`, `_`, `+`, `~`, `-`.
    package static func isName(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isWord || "-.+~".utf8.contains($0) }
    }

    /// What is taken.
    package static var expectation: String {
        "a version such as 3 or 2.1-rc1, which may be followed by “:strict”, or “strict” alone"
    }
    /// A version has no blanks.
    package static var isClosed: Bool { true }
    /// A version may come from the name of an instance.
    package static var takesSpecifiers: Bool { true }
    /// As it is written in a file; empty for the usual one.
    package var description: String {
        isStrict ? (name.map { "\($0):" } ?? "") + Self.strict : name ?? ""
    }

    private static let strict = "strict"

    /// What becomes of saved state in the hands of a new process.
    package enum Verdict: Hashable, Sendable {
        /// It is restored: the program that saved it is of the same version, or of neither a version is known.
        case same
        /// It is restored, and the worker is told that this other version saved it; nil is one that is not known.
        case other(String?)
        /// It is dropped: this other version saved it; nil is one that is not known.
        case dropped(String?)

        /// The version that is told with state that another version saved, empty where that is not known; nil where nothing is told.
        package var told: String? {
            switch self {
            case .other(let version): version ?? ""
            case .same, .dropped: nil
            }
        }
    }

    /// What becomes of state that a program of the version `saved` has saved, in the hands of one of the version `present`; nil is not known.
    package func verdict(on saved: String?, for present: String?) -> Verdict {
        if saved == present { return .same }
        return isStrict ? .dropped(saved) : .other(saved)
    }
}
