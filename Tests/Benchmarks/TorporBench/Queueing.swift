import Notifications

/// Posts that merge in the pure queue: fifty topics of one worker, over and over.
struct Queueing {
    func measure() {
        let topics = (0..<50).compactMap { Topic("cache.t\($0)") }
        let payload = Array(#"{"key":1,"why":"it was changed"}"#.utf8)
        var whole = Spread("queue.post")
        for rule in [MergeRule.latest, .count] {
            for _ in 0..<20 {
                var queue = NotificationQueue()
                let begin = now()
                for number in 0..<20_000 {
                    _ = queue.post(
                        Post(topics[number % topics.count], rule, payload: payload, at: Int64(number)))
                    // As the shell does once in a turn of its loop.
                    if number % 500 == 499 { _ = queue.takeChanges() }
                }
                whole.add((now() - begin) / 20_000)
                guard queue.count == topics.count else { return }
            }
        }
        whole.tell()
    }
}
