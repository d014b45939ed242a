internal import Cgroups
package import ConfigurationSyntax
package import Linux
package import Metering
internal import Scraping
internal import Sockets
internal import Synchronization
package import Systemd
internal import WorkerIO

/// Gives the metrics to whatever reads them: a caller of the control socket, or a client of a socket of its own.
///
/// The loop notes what there is, which takes some microseconds for each worker; figures of groups are read and the text is made on a thread,
/// which is there only while that is asked for. A client that reads slowly delays other readers of the metrics for some seconds, and nothing else.
package final class MetricsService {
    private let loop: EventLoop
    private let meters: Meters
    private let queue: DiskQueue
    /// Where files are read while the text is made.
    private let files: DiskQueue
    private let figures = GroupFigures()
    private let source = SourceBox<IOSource>()
    private let pause = SourceBox<TimeSource>()
    private let listener = ListenerBox()
    private let problem: (String) -> Void
    private var hasComplained = false
    /// How many clients are being served or wait for that.
    private var clients = 0

    /// More clients at once than this are turned away.
    private static let mostClients = 8
    /// How long the figures of groups are read for one text, in microseconds.
    private static let budget: Int64 = 2_000
    /// How long nothing is accepted after a failure, in microseconds.
    private static let pauseLength: Int64 = 100_000

    /// A service without a socket; `problem` is told once what is wrong with the one that it gets.
    package init(_ meters: Meters, on loop: EventLoop, problem: @escaping (String) -> Void) {
        (self.meters, self.loop, self.problem) = (meters, loop, problem)
        queue = DiskQueue(on: loop, mostThreads: 2)
        files = DiskQueue(on: loop, mostThreads: 1)
    }

    /// Has `then` called with the message of a Varlink reply that holds the text, made on a thread while another reads files; once, with the
    /// reason instead where no thread can be created.
    package func message(_ format: MetricsFormat, then: @escaping (Result<[UInt8], LinuxError>) -> Void) {
        let (job, text) = (job(), TextInParts())
        var isAnswered = false
        func answer(_ result: Result<[UInt8], LinuxError>) {
            guard !isAnswered else { return }
            isAnswered = true
            then(result)
        }
        let made: ([UInt8]?) -> Void = { if let bytes = $0 { answer(.success(bytes)) } }
        let refused: (LinuxError) -> Void = { answer(.failure($0)) }
        files.perform({ text.take(readings: job.read()) }, then: made, refused: refused)
        queue.perform(
            { text.take(text: MetricsText(job.snapshot, format, as: .message)) }, then: made, refused: refused
        )
    }

    private func job() -> Job {
        let (snapshot, groups) = meters.snapshot()
        return Job(snapshot: snapshot, groups: groups, figures: figures)
    }

    /// What is left to be done off the loop.
    private struct Job: Sendable {
        let snapshot: MetricsSnapshot
        let groups: [Meters.Group]
        let figures: GroupFigures

        /// What files tell.
        func read() -> MetricsSnapshot.Readings {
            var readings = MetricsSnapshot.Readings(workers: snapshot.workers.count)
            for (group, use) in zip(groups, figures.read(groups.map(\.path), budget: MetricsService.budget)) {
                (readings.memory[group.worker], readings.cpu[group.worker]) = (use?.memory, use?.cpu)
            }
            readings.openDescriptors = ThisProcess.openDescriptors()
            return readings
        }

        /// The whole text.
        func text(_ format: MetricsFormat) -> [UInt8] { MetricsText(snapshot, format).ended(with: read()) }
    }

    /// A text of which two threads make a part each: the one that is later puts them together.
    private final class TextInParts: Sendable {
        private let parts = Mutex<(text: MetricsText?, readings: MetricsSnapshot.Readings?)>((nil, nil))

        /// The whole text where this was the last part.
        func take(text: consuming sending MetricsText) -> [UInt8]? {
            let text = text
            let readings = parts.withLock { parts in
                if parts.readings == nil { parts.text = text }
                return parts.readings
            }
            return readings.map { text.ended(with: $0) }
        }

        func take(readings: MetricsSnapshot.Readings) -> [UInt8]? {
            let text = parts.withLock { parts in
                if parts.text == nil { parts.readings = readings }
                return parts.text.take()
            }
            return text?.ended(with: readings)
        }
    }

    // MARK: the socket

    /// Serves clients at `address`, instead of where it did; nil closes the socket.
    package func listen(at address: ListenAddress?) {
        close()
        guard let address else { return }
        do {
            try open(ScrapeListener(at: address))
        } catch {
            problem("cannot serve the metrics at Listen= of [Metrics]: \(error)")
        }
    }

    /// Serves clients at a socket that listens already, as socket activation passes it.
    package func listen(adopting descriptor: consuming OwnedDescriptor) {
        close()
        let number = descriptor.rawValue
        do {
            try open(ScrapeListener(adopting: descriptor))
            activated = number
        } catch {
            problem("cannot serve the metrics at the socket that was passed: \(error)")
        }
    }

    /// The socket of socket activation that is served, borrowed; nil where there is none.
    package private(set) var activated: Int32?

    /// Closes the socket.
    package func close() {
        activated = nil
        source.handle = nil
        pause.handle = nil
        listener.value = nil
    }

    private func open(_ made: consuming ScrapeListener) throws(SystemdError) {
        let number = made.rawValue
        listener.value = consume made
        source.handle = try IOSource(
            on: loop, descriptor: number, events: .readable, priority: .clients
        ) { [unowned self] _ in accept() }
    }

    private func accept() {
        do {
            guard let connection = try listener.value?.accept() else { return }
            // Closed at once: it has the next scrape.
            guard clients < Self.mostClients else { return }
            clients += 1
            let (job, box) = (job(), Handoff(connection))
            queue.perform {
                if let connection = try? box.take() { ScrapeExchange.serve(connection) { job.text($0) } }
            } then: { [weak self] in
                self?.clients -= 1
            } refused: { [weak self] _ in
                // Closed: it has the next scrape.
                _ = try? box.take()
                self?.clients -= 1
            }
        } catch {
            rest()
            guard !hasComplained else { return }
            hasComplained = true
            problem("cannot accept a client of the metrics: \(error)")
        }
    }

    /// Leaves the socket alone for a while: what waits there would wake the loop again at once.
    private func rest() {
        pause.handle = try? TimeSource(on: loop, accuracy: Self.pauseLength, priority: .clients) {
            [unowned self] _ in
            // Ignoring a failure: then nothing is served until the socket is opened anew.
            try? source.handle?.setEnabled(.on)
        }
        guard pause.handle != nil else { return }
        do {
            try source.handle?.setEnabled(.off)
            pause.handle?.arm(at: loop.now + Self.pauseLength)
        } catch {
            problem("cannot leave the socket of the metrics alone: \(error)")
        }
    }
}

private final class ListenerBox {
    var value: ScrapeListener?
}
