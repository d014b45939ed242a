import Notifications

/// What a queue must hand out, computed the slow way: the whole history since the worker last took something, replayed by
/// what the rules mean and not by how they are carried out.
struct Oracle {
    /// Posts that the worker has not taken, oldest first.
    private(set) var history: [Post] = []
    /// How many of them have been handed out.
    private(set) var handedOut = 0
    private var known: [Topic: [UInt8]?] = [:]
    /// Whether something came back since the worker took something: what merged apart counts apart.
    private(set) var cameBack = false
    let each: Int

    init(each: Int) {
        self.each = each
    }

    mutating func post(_ post: Post) { history.append(post) }

    mutating func flush() { handedOut = history.count }

    mutating func taken() {
        for post in history.prefix(handedOut) where post.rule == .net {
            known[post.topic] = .some(post.payload)
        }
        history.removeFirst(handedOut)
        if handedOut > 0 || history.isEmpty { cameBack = false }
        handedOut = 0
    }

    mutating func returned() {
        if handedOut > 0 { cameBack = true }
        handedOut = 0
    }

    mutating func processEnded() {
        returned()
        history.removeAll { !$0.survives }
        known = known.filter { $0.key.system == nil }
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
            if changes(posts[...]).isEmpty { return [] }
            let since = (1...posts.count).last { changes(posts[..<$0]).isEmpty } ?? 0
            var expected = entry(posts[since...], payload: last.payload)
            for (member, isThere) in changes(posts[...]) {
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
            topic: posts[posts.startIndex].topic, payload: payload, count: posts.count,
            first: posts.map(\.time).min() ?? 0, last: posts.last?.time ?? 0)
    }

    /// The members whose presence is another than before: before was the opposite of the first that was said of it.
    private func changes(_ posts: ArraySlice<Post>) -> [String: Bool] {
        var said: [String: [Bool]] = [:]
        for post in posts {
            for member in post.added { said[member, default: []].append(true) }
            for member in post.removed { said[member, default: []].append(false) }
        }
        return said.compactMapValues { $0.first == $0.last ? $0.last : nil }
    }
}
