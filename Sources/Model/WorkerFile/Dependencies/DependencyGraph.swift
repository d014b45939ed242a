package import ConfigurationSyntax

/// All workers and what they are to each other: which belong together, in which order, and what makes no sense.
///
/// Pure: the caller tells the state of each worker. An `After=` that closes a circle is no order: it is reported, and decisions do
/// without it, so that no worker ever waits for itself.
package struct DependencyGraph: Hashable, Sendable {
    /// What each worker's file says of others.
    package let nodes: [String: Dependencies]
    /// Those that each waits for: `After=`, without what closes a circle.
    let order: [String: Set<String>]
    /// Those that wait for each.
    let followers: [String: Set<String>]
    /// Those that require each, and those that want it.
    let requirers: [String: Set<String>]
    let wanters: [String: Set<String>]
    /// The circles of `After=`: each begins with the worker whose name comes first, and is closed by it.
    package let circles: [[String]]

    /// The graph of workers by their names.
    package init(_ nodes: [String: Dependencies]) {
        self.nodes = nodes
        circles = Self.circles(in: nodes)
        let inCircles = Set(circles.flatMap(\.self))
        var order: [String: Set<String>] = [:]
        var followers: [String: Set<String>] = [:]
        var requirers: [String: Set<String>] = [:]
        var wanters: [String: Set<String>] = [:]
        for (name, node) in nodes {
            let before = inCircles.contains(name) ? node.after.subtracting(inCircles) : node.after
            order[name] = before
            for other in before { followers[other, default: []].insert(name) }
            for other in node.requires where other != name { requirers[other, default: []].insert(name) }
            for other in node.wants where other != name { wanters[other, default: []].insert(name) }
        }
        self.order = order
        self.followers = followers
        self.requirers = requirers
        self.wanters = wanters
    }

    /// A graph without workers.
    package static let empty = DependencyGraph([:])

    // MARK: what makes no sense

    /// Something in a worker's file that makes no sense beside those of others.
    package struct Problem: Hashable, Sendable {
        /// The worker.
        package let worker: String
        /// The directive.
        package let key: String
        /// What is wrong, and what was expected.
        package let error: ValueError
        /// Whether the worker cannot be used like that; else the name is ignored.
        package let isError: Bool
    }

    /// What is wrong, by the workers' names; `isDefined` tells whether there is, or could be, a worker of a name.
    package func problems(isDefined: (String) -> Bool) -> [Problem] {
        var found: [Problem] = []
        for (name, node) in nodes.sorted(by: { $0.key < $1.key }) {
            for (key, other) in node.named {
                if other == name {
                    let error = ValueError("the worker depends on itself", expected: "other workers")
                    found.append(Problem(worker: name, key: key, error: error, isError: true))
                } else if nodes[other] == nil, !isDefined(other) {
                    let error = ValueError(
                        "worker \(other.quoted) does not exist", expected: "the name of a worker")
                    found.append(Problem(worker: name, key: key, error: error, isError: false))
                }
            }
        }
        for circle in circles where circle.count > 2 {
            // Each of them is refused, and so each is told why.
            let error = ValueError(
                "dependency cycle: \(circle.joined(separator: " → "))", expected: "an order without a cycle")
            found += circle.dropLast().map { Problem(worker: $0, key: "After", error: error, isError: true) }
        }
        return found
    }

    /// The workers that cannot be used as their files have them: those in circles, and those that name themselves.
    package var unusable: Set<String> {
        let selves = nodes.filter { name, node in node.named.contains { $0.name == name } }
        return Set(circles.flatMap(\.self)).union(selves.keys)
    }

    /// Every worker in a circle is in one of the answer; found without recursion, since a chain may be as long as it likes.
    private static func circles(in nodes: [String: Dependencies]) -> [[String]] {
        var left = nodes.mapValues { $0.after.filter { nodes[$0] != nil } }
        var found: [[String]] = []
        while true {
            peel(&left)
            guard let first = left.keys.min() else { return found }
            if let circle = shortestCircle(from: first, in: left) {
                found.append(circle)
                for name in circle { left[name] = nil }
            } else {
                // It only lies between circles.
                left[first] = nil
            }
            let known = Set(left.keys)
            left = left.mapValues { $0.intersection(known) }
        }
    }

    /// Takes away, again and again, every worker that waits for none, and every worker that none waits for: what is left lies in or between
    /// circles.
    private static func peel(_ left: inout [String: Set<String>]) {
        var waiting: [String: Set<String>] = [:]
        for (name, before) in left { for other in before { waiting[other, default: []].insert(name) } }
        var ends = left.filter { $0.value.isEmpty || waiting[$0.key, default: []].isEmpty }.map(\.key)
        while let name = ends.popLast() {
            guard let before = left.removeValue(forKey: name) else { continue }
            for other in before {
                waiting[other]?.remove(name)
                if waiting[other]?.isEmpty ?? true, left[other] != nil { ends.append(other) }
            }
            for other in waiting.removeValue(forKey: name) ?? [] {
                left[other]?.remove(name)
                if left[other]?.isEmpty ?? false { ends.append(other) }
            }
        }
    }

    private static func shortestCircle(from start: String, in edges: [String: Set<String>]) -> [String]? {
        var cameFrom: [String: String] = [:]
        var queue = [start]
        var index = 0
        while index < queue.count {
            let name = queue[index]
            index += 1
            for next in (edges[name] ?? []).sorted() {
                if next == start {
                    // Walked back to front: it has to read as the files do.
                    var back: [String] = []
                    var step: String? = name
                    while let known = step, known != start {
                        back.append(known)
                        step = cameFrom[known]
                    }
                    return [start] + Array(back.reversed()) + [start]
                }
                guard cameFrom[next] == nil else { continue }
                cameFrom[next] = name
                queue.append(next)
            }
        }
        return nil
    }

    // MARK: order

    /// `names` in an order in which each comes after those that it waits for, however many others lie between; by name where that is free.
    package func launchOrder(_ names: [String]) -> [String] {
        guard !order.isEmpty else { return names }
        let wanted = Set(names)
        var result: [String] = []
        var done: Set<String> = []
        for name in names.sorted() {
            // A stack of its own, since a chain may be as long as it likes: a name is left when all before it are done.
            var stack = [(name: name, isLeft: false)]
            while let step = stack.popLast() {
                if step.isLeft {
                    if wanted.contains(step.name) { result.append(step.name) }
                } else if done.insert(step.name).inserted {
                    stack.append((step.name, true))
                    for before in (order[step.name] ?? []).sorted(by: >) where !done.contains(before) {
                        stack.append((before, false))
                    }
                }
            }
        }
        return result
    }
}
