package import Varlink

extension JSON.Object {
    /// The object with all texts in it ``Swift/String/printable``, at any depth and in keys as well: nothing of it steers a terminal.
    ///
    /// Texts that are JSON themselves stay (payloads and options of launches): where they are shown they are spelled out as JSON.
    package var printable: JSON.Object {
        var object = JSON.Object()
        for member in members {
            object[member.key.printable] =
                Self.spelledAsJSON.contains(member.key) ? member.value : member.value.printable
        }
        return object
    }

    private static let spelledAsJSON: Set<String> = ["payload", "launchOptions"]
}

extension JSON {
    fileprivate var printable: JSON {
        switch self {
        // JSON escapes what steers a terminal.
        case .null, .bool, .int, .double, .written: self
        case .string(let text): .string(text.printable)
        case .array(let elements): .array(elements.map(\.printable))
        case .object(let object): .object(object.printable)
        }
    }
}
