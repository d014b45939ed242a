package import ConfigurationSyntax
package import Continuing
package import Varlink

/// The state of an activity, as programs that know no JSON tell it too.
package enum ActivityState {
    /// The most bytes of one.
    package static let largest = 64 << 10

    /// The state in what a hook has printed or a notify message says: a JSON object, or any text, which is `{"text": …}` then, without
    /// the end of its last line.
    ///
    /// Nil where it is too long, no UTF-8, or begins as an object and is none.
    package static func read(_ bytes: some Collection<UInt8>) -> JSON.Object? {
        guard bytes.count <= largest, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let first = text.utf8.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0a && $0 != 0x0d }
        if first == UInt8(ascii: "{") { return (try? JSON(parsing: Array(text.utf8).span))?.object }
        let end = text.hasSuffix("\r\n") || text.hasSuffix("\n") ? text.dropLast() : text[...]
        return end.isEmpty ? [:] : ["text": .string(String(end))]
    }

    /// The text of an object; nil where that is too long.
    package static func text(of object: JSON.Object) -> String? {
        let text = JSON.object(object).text
        return text.utf8.count <= largest ? text : nil
    }

    /// The object of a text that ``text(of:)`` has made.
    package static func object(of text: String) -> JSON.Object {
        (try? JSON(parsing: Array(text.utf8).span))?.object ?? [:]
    }
}

/// What `X_TORPOR_USER_ACTIVITY=` says: a type and its state, or that there is no activity any more.
package struct ActivityNotice: Hashable, Sendable {
    /// The type; nil takes back what was offered so.
    package let type: ActivityType?
    /// The state, as the text of a JSON object; nil where none is said.
    package let state: String?

    /// Reads `TYPE`, `TYPE STATE` or nothing; nil for what is none of that.
    package init?(_ value: String) {
        guard !value.isEmpty else {
            (type, state) = (nil, nil)
            return
        }
        let blank = value.firstIndex(of: " ")
        guard let type = try? ActivityType(parsing: String(value[..<(blank ?? value.endIndex)])) else {
            return nil
        }
        self.type = type
        guard let blank else {
            state = nil
            return
        }
        guard let object = ActivityState.read(value[value.index(after: blank)...].utf8),
            let text = ActivityState.text(of: object)
        else { return nil }
        state = text
    }

    /// What it means to the activities of the worker.
    package var event: GivingEvent {
        type.map { .offered($0, title: nil, state: state, asks: false, .notification) }
            ?? .withdrawn(nil, .notification)
    }
}

/// An activity that is brought to a worker.
package struct BroughtActivity: Hashable, Sendable {
    /// The id of its handoff.
    package let handoff: String
    /// The type.
    package let type: ActivityType
    /// What it is about.
    package let title: String?
    /// The state.
    package let payload: JSON.Object
    /// The worker that had it, and where.
    package let from: String?

    package init(
        handoff: String, _ type: ActivityType, title: String?, payload: JSON.Object, from: String?
    ) {
        self.handoff = handoff
        self.type = type
        self.title = title
        self.payload = payload
        self.from = from
    }

    /// What the worker is given.
    package var object: JSON.Object {
        var object: JSON.Object = [
            "handoff": .string(handoff), "type": .string(type.text), "payload": .object(payload),
        ]
        object["title"] = title.map { .string($0) }
        object["from"] = from.map { .string($0) }
        return object
    }
}

/// A caller that carries an activity, and waits at the worker's supervisor.
package struct HandoffCall {
    /// Called with the state, as the text of a JSON object, when the worker has told it.
    package let given: (ActivityHandoff, String) -> Void
    /// Called when the handoff is over.
    package let over: (ActivityHandoff, HandoffEnd) -> Void

    package init(
        given: @escaping (ActivityHandoff, String) -> Void,
        over: @escaping (ActivityHandoff, HandoffEnd) -> Void
    ) {
        self.given = given
        self.over = over
    }
}
