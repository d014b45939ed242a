/// Which worker waits for which, which are pulled in, and which sleep together.
extension DependencyGraph {
    /// How a worker stands, as far as others depend on it.
    package enum Standing: String, Hashable, Sendable, CaseIterable {
        /// There is none of that name.
        case missing
        /// It has no process, and none is coming.
        case resting
        /// It is a oneshot worker that has done what it is for.
        case done
        /// It is being launched, started again or woken.
        case coming
        /// Its launch is complete and it is awake.
        case ready
        /// It is awake, and on its way to sleep.
        case leaving
        /// It sleeps.
        case asleep
        /// Its process is about to end, and is followed by another one.
        case restarting
        /// It is about to end for good.
        case ending

        /// Whether others that it requires have to be awake for it.
        var isInUse: Bool { self == .coming || self == .ready || self == .restarting }
    }

    /// Whether a worker has anything to do with others.
    package func concerns(_ name: String) -> Bool {
        nodes[name].map { !$0.isEmpty } ?? false || followers[name] != nil || requirers[name] != nil
            || wanters[name] != nil
    }

    // MARK: launch and waking

    /// Those that are to be launched or woken with `name`, in the order in which that is asked for.
    ///
    /// What a oneshot worker is for is done with each launch, and not with each waking.
    package func pulled(by name: String, isWaking: Bool, _ state: (String) -> Standing) -> [String] {
        guard let node = nodes[name] else { return [] }
        let wanted = node.stack.filter { other in
            guard other != name, !(isWaking && nodes[other]?.isOneshot ?? false) else { return false }
            switch state(other) {
            case .resting, .done, .leaving, .asleep, .ending: return true
            case .missing, .coming, .ready, .restarting: return false
            }
        }
        return launchOrder(Array(wanted))
    }

    /// Whether a launch or a waking may go on.
    package enum LaunchVerdict: Hashable, Sendable {
        /// At once.
        case go
        /// When these are ready, or will not be.
        case wait([String])
        /// It will not be: a worker that it requires is not to be had.
        case fail(Requirement)
    }

    /// A worker that another requires and that is not to be had.
    package struct Requirement: Hashable, Sendable, CustomStringConvertible {
        /// Its name.
        package let name: String
        /// Whether there is a worker of that name: it has not been launched then, or is about to end.
        package let isDefined: Bool

        /// A worker of this name.
        package init(_ name: String, isDefined: Bool) {
            self.name = name
            self.isDefined = isDefined
        }

        /// What is in the way, in a clause.
        package var description: String {
            "\(name), which it requires, \(isDefined ? "has not been launched" : "is not defined")"
        }
    }

    /// Whether `name` may be launched or woken, once those that it pulls in have been asked for.
    package func launchVerdict(
        on name: String, isWaking: Bool, _ state: (String) -> Standing
    ) -> LaunchVerdict {
        guard let node = nodes[name] else { return .go }
        let before = order[name] ?? []
        // What sleeps is there already: it is woken all the same, and finds out.
        for other in isWaking ? [] : node.requires.sorted() where other != name {
            switch state(other) {
            case .missing: return .fail(Requirement(other, isDefined: false))
            case .resting, .ending:
                if before.contains(other) {
                    return .fail(Requirement(other, isDefined: true))
                }
            case .done, .coming, .ready, .leaving, .asleep, .restarting: break
            }
        }
        let awaited = before.filter { [.coming, .restarting].contains(state($0)) }
        return awaited.isEmpty ? .go : .wait(awaited.sorted())
    }

    // MARK: sleep

    /// Whether a worker may fall asleep.
    package enum SleepVerdict: Hashable, Sendable {
        /// At once.
        case go
        /// When these are asleep.
        case wait([String])
        /// It stays awake, since this worker that requires it is.
        case stay(String)
    }

    /// Whether `name` may fall asleep: not before those that come after it, and not while one that requires it is awake.
    package func sleepVerdict(on name: String, _ state: (String) -> Standing) -> SleepVerdict {
        if let awake = keeper(of: name, state) { return .stay(awake) }
        let awaited = (followers[name] ?? []).filter { other in
            switch state(other) {
            case .ending: true
            // It is to sleep, and does not where another one keeps it awake.
            case .leaving: keeper(of: other, state) == nil
            case .missing, .resting, .done, .coming, .ready, .asleep, .restarting: false
            }
        }
        return awaited.isEmpty ? .go : .wait(awaited.sorted())
    }

    /// The first by name that requires `name` and is in use, or is kept awake by such a one itself; nil where there is none.
    private func keeper(
        of name: String, _ state: (String) -> Standing, besides seen: Set<String> = []
    ) -> String? {
        let seen = seen.union([name])
        return (requirers[name] ?? []).subtracting(seen).sorted().first { other in
            let standing = state(other)
            return standing.isInUse || standing == .leaving && keeper(of: other, state, besides: seen) != nil
        }
    }

    /// Whether one that requires `name` is awake: it is in use then, however quiet it is.
    package func isNeeded(_ name: String, _ state: (String) -> Standing) -> Bool {
        requirers[name]?.contains { state($0).isInUse } ?? false
    }

    /// Those that sleep with `name`, which has just fallen asleep: what it pulled in, unless another one that pulls it in is awake.
    package func sleeping(with name: String, _ state: (String) -> Standing) -> [String] {
        guard let node = nodes[name] else { return [] }
        let free = node.stack.filter { other in
            guard other != name, [.ready, .leaving].contains(state(other)) else { return false }
            return (requirers[other] ?? []).union(wanters[other] ?? []).allSatisfy { dependent in
                switch state(dependent) {
                case .coming, .ready, .leaving, .restarting: false
                case .missing, .resting, .done, .asleep, .ending: true
                }
            }
        }
        return launchOrder(Array(free)).reversed()
    }

    /// Those that are to sleep before `name` does, since they require it: the last of the stack first.
    package func sleeping(before name: String, _ state: (String) -> Standing) -> [String] {
        requiring(name) { state($0).isInUse }
    }

    // MARK: the end

    /// Those that end with `name` when it is ended on purpose, since they require it: the last of the stack first.
    package func ending(with name: String, _ state: (String) -> Standing) -> [String] {
        requiring(name) { other in
            switch state(other) {
            case .coming, .ready, .leaving, .asleep, .restarting: true
            case .missing, .resting, .done, .ending: false
            }
        }
    }

    /// Those that `name` waits for before it is asked to end: what comes after it and is ending, for good or not.
    package func ending(before name: String, _ state: (String) -> Standing) -> [String] {
        (followers[name] ?? []).filter { [.ending, .restarting].contains(state($0)) }.sorted()
    }

    /// Those that require `name`, however many others lie between, as far as `isSo` holds of them.
    private func requiring(_ name: String, _ isSo: (String) -> Bool) -> [String] {
        var found: Set<String> = []
        var queue = [name]
        while let next = queue.popLast() {
            for other in requirers[next] ?? []
            where other != name && isSo(other) && found.insert(other).inserted {
                queue.append(other)
            }
        }
        return launchOrder(Array(found)).reversed()
    }
}
