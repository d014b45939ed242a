internal import ControlAPI
internal import ControlServer
internal import Supervisor
internal import SupervisorPorts
internal import Varlink

/// Posts of one connection that are on the disk with one commit, and answered then, in a row.
final class PostRun: AnswerBatch {
    /// What was called, in full.
    static let method = SupervisorInterface.Post.name

    /// A post that has been taken.
    struct Posted {
        let id: Call.ID
        /// The worker that it was posted to.
        let entry: RegisteredWorker
        /// The number under which it waits; nil where it has undone what waited.
        let number: Int64?

        /// What a successor needs to continue it.
        var note: JSON.Object { Self.note(entry.name, number) }

        static func note(_ name: String, _ number: Int64?) -> JSON.Object {
            ["posted": .string(name), "sequence": number.map { .int($0) } ?? .null]
        }

        /// Whether it is one of these, by workers and numbers.
        func isAmong(_ posts: [WorkerID: Set<UInt64>]) -> Bool {
            number.map { posts[entry.id]?.contains(UInt64(clamping: $0)) ?? false } ?? false
        }

        func refusal(_ problem: String) -> MethodError {
            SupervisorInterface.notPosted(
                name: entry.name, obstacle: .notKept, why: PostRefusal.notStored(problem).sentence)
        }
    }

    let commit: UInt64
    private(set) var posts: [Posted] = []

    init(_ commit: UInt64) {
        self.commit = commit
    }

    var openCalls: [(call: Call, note: JSON.Object)] {
        posts.map { (Call(id: $0.id, method: Self.method, parameters: [:], mode: .once), $0.note) }
    }

    func append(_ post: Posted) { posts.append(post) }
}
