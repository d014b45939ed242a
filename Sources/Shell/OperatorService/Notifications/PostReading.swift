package import ControlAPI
internal import Interrupting
package import Notifications
internal import Supervisor
internal import SupervisorPorts
package import Varlink

/// A post as it came over a socket.
package struct PostReading {
    /// The post, of now.
    package let post: Post

    /// Fails with the parameter that does not hold.
    package init(
        topic name: String, payload: JSON?, rule: SupervisorInterface.MergeRule?, added: [String]?,
        removed: [String]?, transient: Bool?, now: Int64
    ) throws(MethodError) {
        guard let topic = Topic(name) else { throw .invalidParameter("topic") }
        let hasMembers = added != nil || removed != nil
        let given = rule.map { MergeRule($0) }
        let rule = given ?? topic.system?.rule ?? (hasMembers ? .set : .latest)
        if hasMembers, rule != .set { throw .invalidParameter("rule") }
        // It would change nothing, and its payload would be lost.
        if given == .set, !hasMembers { throw .invalidParameter("added") }
        var bytes: [UInt8]?
        switch payload {
        case nil, .null: bytes = nil
        case .object(let object):
            bytes = Array(JSON.object(object.isSorted ? object : object.sorted).text.utf8)
        default: throw .invalidParameter("payload")
        }
        post = Post(
            topic, rule, payload: bytes, added: added ?? [], removed: removed ?? [], at: now,
            survives: !(transient ?? false))
    }
}

extension JSON.Object {
    /// Whether its keys, and those of all objects in it, are in order.
    fileprivate var isSorted: Bool {
        var last: String?
        for member in members {
            if let last, member.key < last { return false }
            guard member.value.isSorted else { return false }
            last = member.key
        }
        return true
    }

    /// The same with all keys in order, so that equal values are equal bytes.
    fileprivate var sorted: JSON.Object {
        let sorted = members.sorted { $0.key < $1.key }
        return JSON.Object(unique: sorted.map { JSON.Object.Member(key: $0.key, value: $0.value.sorted) })
    }
}

extension JSON {
    fileprivate var isSorted: Bool {
        switch self {
        case .object(let object): object.isSorted
        case .array(let elements): elements.allSatisfy(\.isSorted)
        case .null, .bool, .int, .double, .string, .written: true
        }
    }

    fileprivate var sorted: JSON {
        switch self {
        case .object(let object): .object(object.sorted)
        case .array(let elements): .array(elements.map(\.sorted))
        case .null, .bool, .int, .double, .string, .written: self
        }
    }
}

extension PostRefusal {
    /// What is in the way, in a word.
    package var obstacle: SupervisorInterface.PostObstacle {
        switch self {
        case .noSuchWorker, .notWanted: .notWanted
        case .notRunning: .notRunning
        case .queue(.wrongRule), .waitsOtherwise: .wrongRule
        case .queue(.tooManyTopics): .tooManyTopics
        case .queue(.tooManyMembers): .tooManyMembers
        case .queue(.full): .full
        case .notStored: .notKept
        case .tooLarge: .tooLarge
        case .notAlerted(.notAllowed): .notAllowed
        case .notAlerted(.notRunning): .notRunning
        }
    }
}

extension ScheduleRefusal {
    /// What is in the way, in a word.
    package var obstacle: SupervisorInterface.PostObstacle {
        switch self {
        case .post(let refusal): refusal.obstacle
        case .book(.past): .past
        case .book(.full): .tooManySchedules
        case .book(.tooOften): .tooOften
        }
    }
}
