package import ControlAPI

/// A way to call the supervisor: its control socket, or a script in tests.
package protocol ControlTransport {
    /// Calls `method` and returns its only reply.
    mutating func call<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters
    ) throws(Failure) -> M.Reply

    /// Calls `method` with `more` and hands over its replies as they come.
    mutating func stream<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters, _ receive: (M.Reply) throws(Failure) -> Void
    ) throws(Failure)
}

extension ControlTransport {
    /// The workers that `patterns` mean, each once: a name stands for itself, a shell pattern for all that it matches.
    ///
    /// Only patterns are looked up, so that a name of which there is no worker fails where it is used.
    /// A pattern that matches nothing is a failure of its own, in `onFailure`.
    package mutating func names(
        matching patterns: [String], onFailure: (Failure) -> Void
    ) throws(Failure) -> [String] {
        var names: [String] = []
        var seen: Set<String> = []
        for pattern in patterns {
            var found = [pattern]
            if pattern.isShellPattern {
                found = try call(SupervisorInterface.List.self, .init(names: [pattern])).workers.map(\.name)
                if found.isEmpty {
                    onFailure(
                        Failure(
                            .noSuchWorker, "no worker matches “\(pattern)”; see 'torpor list'",
                            isNoSuchWorker: true)
                    )
                }
            }
            for name in found where seen.insert(name).inserted { names.append(name) }
        }
        return names
    }
}

extension String {
    /// Whether fnmatch(3) would take some of it for more than itself.
    ///
    /// A backslash alone does not count: names contain escapes such as `\x2d`.
    package var isShellPattern: Bool { utf8.contains { $0 == 0x2a || $0 == 0x3f || $0 == 0x5b } }
}
