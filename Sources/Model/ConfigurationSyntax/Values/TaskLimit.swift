/// A limit on processes and threads (`TasksMax=` of systemd.resource-control(5)): a number, a share of those that the machine can
/// have, or none.
package enum TaskLimit: Hashable, Sendable, PlainValue {
    /// So many.
    case count(UInt64)
    /// A share of what the machine can have.
    case share(Share)
    /// No limit.
    case infinity

    /// What systemd gives a unit that does not say (`DefaultTasksMax=` of systemd-system.conf(5)).
    package static let standard = TaskLimit.share(Share(permyriad: 1500))

    /// Reads a number, a percentage or `infinity`; 0 is refused, as systemd does.
    package init(parsing text: String) throws(ValueError) {
        if text.isExactly("infinity") {
            self = .infinity
        } else if let share = try? Share(parsing: text), share.permyriad > 0 {
            self = .share(share)
        } else if text.utf8.allSatisfy(\.isDigit), let count = UInt64(text), count > 0 {
            self = .count(count)
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What a limit on tasks looks like.
    package static var expectation: String { "a number above 0, a percentage, or infinity" }
    /// A limit is a number and a sign.
    package static var isClosed: Bool { true }

    /// The limit on a machine that can have `total` tasks; nil where there is none.
    package func count(of total: UInt64) -> UInt64? {
        switch self {
        case .count(let count): count
        // None at all would be a worker that cannot start.
        case .share(let share): max(1, share.of(total))
        case .infinity: nil
        }
    }
}
