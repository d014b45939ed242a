internal import Lifecycle
internal import Linux
internal import Relaying
internal import SupervisorPorts
internal import WorkerIO

// The page that browsers see while a worker is launched.
extension WorkerRelays {
    /// Has the relay of a worker show the page, as it is now.
    func showPage(_ worker: Served, _ facts: Facts) {
        guard let relay = worker.relay else { return }
        if case .file(let path) = worker.terms.page, !worker.isTemplateRead {
            return read(path, worker)
        }
        let since = worker.launchedSince ?? KernelClock.monotonic
        let page = PlaceholderPage(
            name: worker.name, description: worker.terms.description, since: worker.launchedAt,
            seconds: (KernelClock.monotonic - since) / 1_000_000, activity: facts.activity)
        relay.show(page.answer(worker.template))
    }

    /// Reads the operator's file on a thread, and shows it; the page of Torpor where it cannot be read, which is said once.
    private func read(_ path: String, _ worker: Served) {
        worker.isTemplateRead = true
        tools.lookups.perform {
            Result<[UInt8], LinuxError> { () throws(LinuxError) in
                try RegularFile.read(path, limit: PlaceholderPage.largestFile)
            }
        } then: { [weak self, weak worker] result in
            guard let self, let worker else { return }
            switch result {
            case .success(let bytes): (worker.template, worker.hasWarnedOfPage) = (bytes, false)
            case .failure(let error):
                worker.template = nil
                guard let id = workers.first(where: { $0.value === worker })?.key else { return }
                if !worker.hasWarnedOfPage {
                    ports.inform(
                        id, .remarked("Placeholder=\(path): \(error.reason); the built-in page is shown"))
                }
                worker.hasWarnedOfPage = true
            }
            if let id = workers.first(where: { $0.value === worker })?.key { stand(id) }
        }
    }
}
