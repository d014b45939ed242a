internal import ConfigurationSyntax
package import ControlAPI
internal import Glibc
package import Lifecycle
internal import Linux
package import SupervisorPorts
internal import Systemd
package import WorkerFile

/// A worker that operators know by name.
package final class RegisteredWorker {
    /// Its name; of a template with the instance, as `web@42`.
    package let name: String
    /// Its number in the supervisor.
    package let id: WorkerID
    /// What its files say; nil for the one worker of `torpor run`.
    package var loaded: LoadedWorker? {
        didSet {
            if loaded?.definition != oldValue?.definition {
                definedAt = Instant(microseconds: KernelClock.monotonic)
            }
            cpuAllowance = Self.cpuAllowance(loaded)
            description = loaded?.definition.description?.text
        }
    }
    /// What `torpor run` was told of the background, where there are no files.
    package var toldBackground: (() -> WorkerDefinition.Background)?
    /// What it may do in the background.
    package var background: WorkerDefinition.Background? {
        loaded?.definition.background ?? toldBackground?()
    }
    /// When the definition that is in force was read.
    package private(set) var definedAt = Instant(microseconds: KernelClock.monotonic)
    /// What is wrong with its file as it is now, so that the definition of before is in force; nil where nothing is.
    package var fileProblem: String?
    /// `CPULimit=`, apart: it is looked at with every change of state, and a definition is large.
    package private(set) var cpuAllowance: CPUAllowance?
    /// `Description=`, apart: each list has it.
    package private(set) var description: String?
    /// Defined by an operator, without a file: forgotten when it ends, unless a file defines it by then.
    package var isTransient: Bool
    /// No longer defined: forgotten when it ends.
    package var isOrphaned = false
    /// How posts to it are answered.
    package private(set) lazy var postAnswer = PostAnswer(name)
    /// How its last process ended, under this daemon or an earlier one; nil where it has not, or nothing is kept.
    package var lastEnd: LastEnd?

    package init(name: String, id: WorkerID, loaded: LoadedWorker?, isTransient: Bool = false) {
        self.name = name
        self.id = id
        self.loaded = loaded
        self.isTransient = isTransient
        cpuAllowance = Self.cpuAllowance(loaded)
        description = loaded?.definition.description?.text
    }

    private static func cpuAllowance(_ loaded: LoadedWorker?) -> CPUAllowance? {
        loaded.flatMap { CPUAllowance($0.definition.background) }
    }
}

/// How a process ended; apart, since most workers have none.
package final class LastEnd: Sendable {
    package let termination: SupervisorInterface.Termination

    package init(_ termination: SupervisorInterface.Termination) {
        self.termination = termination
    }
}

/// The workers by name, in the order of names.
///
/// Names are found by themselves or by shell patterns (fnmatch(3)).
package struct WorkerRegistry {
    private var byName: [String: RegisteredWorker] = [:]
    private var byID: [WorkerID: RegisteredWorker] = [:]

    /// All of them, by name.
    package private(set) var all: [RegisteredWorker] = []

    /// How many there are.
    package var count: Int { all.count }

    package subscript(name: String) -> RegisteredWorker? { byName[name] }

    package subscript(id: WorkerID) -> RegisteredWorker? { byID[id] }

    package mutating func add(_ entry: RegisteredWorker) {
        guard byName.updateValue(entry, forKey: entry.name) == nil else { return }
        byID[entry.id] = entry
        all.insert(entry, at: position(of: entry.name))
    }

    package mutating func remove(_ entry: RegisteredWorker) {
        byName[entry.name] = nil
        byID[entry.id] = nil
        let position = position(of: entry.name)
        if position < all.count, all[position].name == entry.name { all.remove(at: position) }
    }

    /// The workers that open URLs of that scheme, in lower case, by name.
    package func openers(of scheme: String) -> [RegisteredWorker] {
        all.filter { entry in
            guard !entry.isOrphaned, let definition = entry.loaded?.definition else { return false }
            return definition.urlSchemes.contains { $0.description.lowercased() == scheme }
        }
    }

    /// The workers that `pattern` names or matches, by name; empty when there are none.
    package func matching(_ pattern: String) -> [RegisteredWorker] {
        if let entry = byName[pattern] { return [entry] }
        guard Self.isPattern(pattern) else { return [] }
        return all.filter { fnmatch(pattern, $0.name, 0) == 0 }
    }

    /// The workers that any of `patterns` names or matches, each once, by name; all when there are no patterns.
    package func matching(anyOf patterns: [String]?) -> [RegisteredWorker] {
        guard let patterns else { return all }
        if patterns.count == 1 { return matching(patterns[0]) }
        var names: Set<String> = []
        for pattern in patterns { names.formUnion(matching(pattern).map(\.name)) }
        return names.sorted().compactMap { byName[$0] }
    }

    /// Whether it says more than one name.
    package static func isPattern(_ text: String) -> Bool { text.utf8.contains { "*?[".utf8.contains($0) } }

    private func position(of name: String) -> Int {
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
