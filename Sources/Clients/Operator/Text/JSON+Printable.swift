package import Varlink

extension JSON.Object {
    /// The object with all texts in it ``Swift/String/printable``, at any depth and in keys as well: nothing of it steers a terminal.
    ///
    /// Texts that are JSON themselves stay (payloads and options of launches): where they are shown they are spelled out as JSON.
    package var printable: JSON.Object {
        // Nearly always nothing has to be changed, and nothing is made anew.
        if isPrintable { return self }
        // Keys are the interface's, nearly always: then none becomes equal to another.
        if members.allSatisfy({ $0.key.printable == $0.key }) {
            return JSON.Object(
                unique: members.map { member in
                    JSON.Object.Member(
                        key: member.key,
                        value: Self.isSpelledAsJSON(member.key) ? member.value : member.value.printable
                    )
                })
        }
        var object = JSON.Object()
        for member in members {
            object[member.key.printable] =
                Self.isSpelledAsJSON(member.key) ? member.value : member.value.printable
        }
        return object
    }

    fileprivate var isPrintable: Bool {
        members.allSatisfy { member in
            member.key.isPrintable && (Self.isSpelledAsJSON(member.key) || member.value.isPrintable)
        }
    }

    private static func isSpelledAsJSON(_ key: String) -> Bool { key == "payload" || key == "launchOptions" }
}

extension JSON {
    fileprivate var isPrintable: Bool {
        switch self {
        case .null, .bool, .int, .double, .written: true
        case .string(let text): text.isPrintable
        case .array(let elements): elements.allSatisfy(\.isPrintable)
        case .object(let object): object.isPrintable
        }
    }

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
