package import Linux

/// The directories for the supervisor's sockets, the best first.
package struct SocketPlaces: Hashable, Sendable {
    /// Directories that are tried in this order.
    package var directories: [String]
    /// Whether an abstract name will do where no directory is writable.
    package var allowsAbstract: Bool
    /// Whether pipes have names there, by which a successor of this process opens them; one that is killed leaves their files.
    package var namesPipes: Bool

    /// These directories, then an abstract name.
    package init(directories: [String] = [], allowsAbstract: Bool = true, namesPipes: Bool = true) {
        self.directories = directories
        self.allowsAbstract = allowsAbstract
        self.namesPipes = namesPipes
    }

    /// The paths to try for a FIFO of `name`, for its `stream`; none where a pipe without a name will do.
    package func pipes(for name: String, _ stream: String) -> [String] {
        guard namesPipes else { return [] }
        return directories.map { "\($0)/\(name).\(stream)" }
    }

    /// The FIFO of `name` that a predecessor has made for its `stream`; nil where there is none.
    package func adoptPipe(for name: String, _ stream: String) -> Fifo? {
        for path in pipes(for: name, stream) { if let pipe = try? Fifo(adopting: path) { return pipe } }
        return nil
    }

    /// The addresses to try for a socket of `name`, for this purpose.
    package func candidates(for name: String, _ purpose: String) -> [UnixSocketAddress] {
        var texts = directories.map { "\($0)/\(name).\(purpose)" }
        if allowsAbstract { texts.append("@torpor/\(ThisProcess.pid)/\(name).\(purpose)") }
        return texts.compactMap { try? UnixSocketAddress($0) }
    }
}
