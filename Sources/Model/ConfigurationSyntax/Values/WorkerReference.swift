/// The name of another worker, as `After=`, `Requires=`, `Subscriptions=` and `OnFailure=` have it; whether there is one of that name is
/// found out when all are known.
package struct WorkerReference: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The name.
    package let name: WorkerName

    /// A reference to `name`.
    package init(_ name: WorkerName) {
        self.name = name
    }

    /// Reads a name, with or without `.worker` behind it; a template is no worker.
    package init(parsing text: String) throws(ValueError) {
        name = try WorkerName(text)
        guard !name.isTemplate else {
            throw ValueError(
                "\(text.quoted) is a template", expected: "an instance such as \(name.text)1")
        }
    }

    /// What a reference looks like.
    package static var expectation: String { "the name of a worker" }
    /// `After=db@%i` is common.
    package static var takesSpecifiers: Bool { true }
    /// A name is one word.
    package static var isClosed: Bool { true }
    /// The name.
    package var description: String { name.text }
}
