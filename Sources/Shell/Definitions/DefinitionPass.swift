internal import ConfigurationSyntax
internal import Linux
internal import WorkerFile

/// One pass over the files of many workers: half of them are read on another thread.
///
/// At the start of the daemon nothing else is there to do, and a reload keeps the loop for half as long.
struct DefinitionPass<Source: FileSource & Sendable>: Sendable {
    typealias Found = WorkerLoader<ListedFileSource<Source>>.Found

    /// Fewer are read sooner than a thread starts.
    private static var fewest: Int { 32 }

    let loader: WorkerLoader<Source>

    /// What there is for each of `names`, in their order.
    func read(_ names: [WorkerName]) -> [(WorkerName, Found)] {
        guard names.count >= Self.fewest else { return read(names[...]) }
        let (first, second) = (names[..<(names.count / 2)], names[(names.count / 2)...])
        let other = SignalledBox<[(WorkerName, Found)]?>(nil)
        do throws(LinuxError) {
            try DetachedThread.start { [self] in
                let found = read(second)
                other.post { answer in
                    answer = found
                    return true
                }
            }
        } catch {
            return read(names[...])
        }
        let found = read(first)
        return found + other.take { $0.map { .take($0) } ?? .wait }
    }

    /// Reads them here, and looks through each directory once; of definitions that say the same one is kept.
    private func read(_ names: ArraySlice<WorkerName>) -> [(WorkerName, Found)] {
        let loader = loader.listing()
        var definitions = SharedPool<SharedDefinition>()
        return names.map { name in
            let found = loader.load(name)
            guard case .worker(var loaded) = found else { return (name, found) }
            loaded.shared = definitions.shared(loaded.shared)
            return (name, .worker(loaded))
        }
    }
}
