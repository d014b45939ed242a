import Notifications

/// What a queue must hand out, computed the slow way: the whole history since the worker last took something, replayed by
/// what the rules mean and not by how they are carried out.
struct Oracle {
    /// Posts that the worker has not taken, oldest first.
    private(set) var history: [Post] = []
    /// How many of them have been handed out.
    private(set) var handedOut = 0
    private var known: [Topic: [UInt8]?] = [:]
    /// What was handed out and is not taken.
    private var handed: [Expected] = []
    /// Members of sets that the worker may know of by what came back.
    private var told: [Topic: Set<String>] = [:]
    /// Whether something came back since the worker took something: what merged apart counts apart.
    private(set) var cameBack = false
    let each: Int

    init(each: Int) {
        self.each = each
    }

    mutating func post(_ post: Post) { history.append(post) }

    mutating func flush() {
        handed = waiting
        handedOut = history.count
    }

    mutating func taken() {
        for post in history.prefix(handedOut) {
            if post.rule == .net { known[post.topic] = .some(post.payload) }
            told[post.topic] = nil
        }
        handed = []
        history.removeFirst(handedOut)
        if handedOut > 0 || history.isEmpty { cameBack = false }
        handedOut = 0
    }

    mutating func returned() {
        if handedOut > 0 { cameBack = true }
        handedOut = 0
        // The worker may know what it was handed, or not.
        for entry in handed {
            if entry.rule == .net { known[entry.topic] = nil }
            if entry.rule == .set {
                told[entry.topic, default: []].formUnion(entry.added.union(entry.removed))
            }
        }
        handed = []
    }

    mutating func processEnded() {
        returned()
        history.removeAll { !$0.survives }
        known = known.filter { $0.key.system == nil }
        told = told.filter { $0.key.system == nil }
    }

    /// What waits: what has not been handed out, as it looks to a worker that takes what has.
    var waiting: [Expected] {
        var topics: [Topic] = []
        for post in history.dropFirst(handedOut) where !topics.contains(post.topic) {
            topics.append(post.topic)
        }
        return topics.flatMap { expected($0) }
    }

    struct Expected: Hashable {
        var topic: Topic
        var rule: MergeRule
        var payload: [UInt8]?
        var added: Set<String> = []
        var removed: Set<String> = []
        var dropped = 0
        var count: Int
        var first: Int64
        var last: Int64
    }

    private func expected(_ topic: Topic) -> [Expected] {
        let posts = history.dropFirst(handedOut).filter { $0.topic == topic }
        let before = history.prefix(handedOut).last { $0.topic == topic && $0.rule == .net }
        guard let last = posts.last else { return [] }
        switch last.rule {
        case .latest, .count:
            return [entry(posts[...], payload: last.payload)]
        case .net:
            let value: [UInt8]?? = before.map { .some($0.payload) } ?? known[topic]
            if value == .some(last.payload) { return [] }
            let since = posts.lastIndex { value == .some($0.payload) }.map { $0 + 1 } ?? 0
            return [entry(posts[since...], payload: last.payload)]
        case .set:
            // What has come after what is out is another entry.
            let told = handedOut == 0 ? told[topic] ?? [] : []
            if changes(posts[...], told).isEmpty { return [] }
            let since = (1...posts.count).last { changes(posts[..<$0], told).isEmpty } ?? 0
            var expected = entry(posts[since...], payload: last.payload)
            for (member, isThere) in changes(posts[...], told) {
                if isThere { expected.added.insert(member) } else { expected.removed.insert(member) }
            }
            return [expected]
        case .each:
            let dropped = max(0, posts.count - each)
            return posts.dropFirst(dropped).enumerated().map { index, post in
                var expected = entry([post], payload: post.payload)
                expected.dropped = index == 0 ? dropped : 0
                return expected
            }
        }
    }

    private func entry(_ posts: ArraySlice<Post>, payload: [UInt8]?) -> Expected {
        Expected(
            topic: posts[posts.startIndex].topic, rule: posts[posts.startIndex].rule, payload: payload,
            count: posts.count,
            first: posts.map(\.time).min() ?? 0, last: posts.last?.time ?? 0)
    }

    /// The members whose presence is another than before: before was the opposite of the first that was said of it.
    ///
    /// Of those that the worker
    /// may have been told of, what became of them last.
    private func changes(_ posts: ArraySlice<Post>, _ told: Set<String>) -> [String: Bool] {
        var said: [String: [Bool]] = [:]
        for post in posts {
            for member in post.added { said[member, default: []].append(true) }
            for member in post.removed { said[member, default: []].append(false) }
        }
        var changes: [String: Bool] = [:]
        for (member, words) in said where words.first == words.last || told.contains(member) {
            changes[member] = words.last
        }
        return changes
    }
}
