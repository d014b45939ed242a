import Glibc

/// What `Tests/sanitize` has built into the tests, and into the programs that they start.
package enum Sanitizer: String {
    case address
    case thread

    /// The one that is part of this process, as its runtime tells; nil in all other builds.
    package static let current: Sanitizer? = {
        if unsafe dlsym(nil, "__asan_init") != nil { return .address }
        return unsafe dlsym(nil, "__tsan_init") != nil ? .thread : nil
    }()
}

extension Capability {
    /// Programs without a sanitizer, for a test of what a sanitizer changes: `change` follows its name, as in "needs memory itself".
    package static func noSanitizer(_ change: String) -> Capability {
        Capability("a build without a sanitizer") {
            Sanitizer.current.map { "the \($0.rawValue) sanitizer \(change)" }
        }
    }
}
