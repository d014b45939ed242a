internal import Lifecycle
internal import Linux
internal import Relaying
internal import SupervisorPorts
internal import WorkerIO

// The page that browsers see while a worker is launched.
extension WorkerRelays {
    /// Has the relay of a worker show the page, as it is now.
    func showPage(_ worker: Served, _ facts: Facts) {
        guard let relay = worker.relay, let template = template(of: worker) else { return }
        let since = worker.launchedSince ?? KernelClock.monotonic
        let page = PlaceholderPage(
            name: worker.name, description: worker.terms.description, since: worker.launchedAt,
            seconds: (KernelClock.monotonic - since) / 1_000_000, activity: facts.activity)
        relay.show(page.answer(template))
    }

    /// The operator's file, or an inner nil for the page of Torpor; nil while the file is being read, and browsers wait.
    ///
    /// They wait for one round of the page: a file system that does not answer is not waited for.
    private func template(of worker: Served) -> [UInt8]?? {
        guard case .file(let path) = worker.terms.page else { return .some(nil) }
        switch worker.template {
        case .unread:
            read(path, worker)
            return nil
        case .read(let since): return KernelClock.monotonic - since < Self.pageInterval ? nil : .some(nil)
        case .known(let bytes): return .some(bytes)
        }
    }

    /// Reads the operator's file on a thread, and shows it; the page of Torpor where it cannot be read, which is said once.
    private func read(_ path: String, _ worker: Served) {
        let reading = Template.read(since: KernelClock.monotonic)
        worker.template = reading
        tools.lookups.perform {
            Result<[UInt8], LinuxError> { () throws(LinuxError) in
                // Every browser is shown it: no link of another user leads to a file of root's.
                try RegularFile.read(path, limit: PlaceholderPage.largestFile, trusting: .ownLinks)
            }
        } then: { [weak self, weak worker] result in
            // Another launch reads it anew.
            guard let self, let worker, worker.template == reading,
                let id = workers.first(where: { $0.value === worker })?.key
            else { return }
            switch result {
            case .success(let bytes): (worker.template, worker.hasWarnedOfPage) = (.known(bytes), false)
            case .failure(let error):
                worker.template = .known(nil)
                if !worker.hasWarnedOfPage {
                    ports.inform(
                        id, .remarked("Placeholder=\(path): \(error.reason); the built-in page is shown"))
                }
                worker.hasWarnedOfPage = true
            }
            stand(id)
        }
    }
}
