internal import ConfigurationSyntax

/// What a worker's file says of other workers (systemd.unit(5)).
package struct Dependencies: Hashable, Sendable {
    /// Those that are ready before it is launched or woken, and that sleep and end after it (`After=`).
    package var after: Set<String>
    /// Those that it cannot be without (`Requires=`).
    package var requires: Set<String>
    /// Those that are launched and woken with it (`Subscriptions=`).
    package var wants: Set<String>
    /// Those that are launched when it has failed (`OnFailure=`), in their order.
    package var onFailure: [String]
    /// Whether it is over when it has done what it is for (`Type=oneshot`).
    package var isOneshot: Bool

    /// None, unless said otherwise.
    package init(
        after: Set<String> = [], requires: Set<String> = [], wants: Set<String> = [],
        onFailure: [String] = [], isOneshot: Bool = false
    ) {
        self.after = after
        self.requires = requires
        self.wants = wants
        self.onFailure = onFailure
        self.isOneshot = isOneshot
    }

    /// Those of a definition.
    package init(_ definition: WorkerDefinition) {
        self.init(
            after: Set(definition.after.map(\.name.text)),
            requires: Set(definition.requires.map(\.name.text)),
            wants: Set(definition.wants.map(\.name.text)).subtracting([WorkerDefinition.firstUnlock]),
            onFailure: definition.onFailure.map(\.name.text),
            isOneshot: definition.type == .oneshot)
    }

    /// Whether it names no other worker.
    package var isEmpty: Bool { after.isEmpty && requires.isEmpty && wants.isEmpty && onFailure.isEmpty }

    /// Those that belong to its stack: they are launched, woken and put to sleep with it.
    var stack: Set<String> { requires.union(wants) }

    /// Every name.
    package var names: Set<String> { after.union(requires).union(wants).union(onFailure) }

    /// Every name with the directive that it stands in, in the order of the manual.
    var named: [(key: String, name: String)] {
        after.sorted().map { ("After", $0) } + requires.sorted().map { ("Requires", $0) }
            + wants.sorted().map { ("Wants", $0) } + onFailure.map { ("OnFailure", $0) }
    }
}
