internal import Idleness
internal import Linux
internal import Sockets
internal import Systemd

/// Answers bind(2) of the processes of one launch, for as long as any of them lives (`HandOver=handover`).
///
/// What has no socket to wait for is let through at once, on the loop. Where the worker is to be given one, its memory is read on a thread:
/// a page of it may keep the reader waiting. One call is looked at after the other, so that a worker holds up nothing but itself.
final class BindWatch {
    /// What it was launched as: the number of its first process.
    let number: Int32
    private let listener: BindListener
    private let loop: EventLoop
    private let source = SourceBox<IOSource>()
    /// The sockets that may be given away now.
    private let lender: () -> EvictedDoors?
    private let ended: () -> Void
    /// The call that is looked at on a thread.
    private(set) var underway: BindCall?

    /// How many calls are answered before others have their turn.
    private static let mostAtOnce = 16
    /// The stack of a thread that looks at one.
    private static let stackSize = 256 * 1024

    /// Begins to answer; `ended` hears of the end of the last process, or of what makes it impossible.
    init(
        _ listener: consuming BindListener, number: Int32, on loop: EventLoop,
        lender: @escaping () -> EvictedDoors?, ended: @escaping () -> Void
    ) throws {
        (self.number, self.loop, self.lender, self.ended) = (number, loop, lender, ended)
        self.listener = listener
        source.handle = try IOSource(
            on: loop, descriptor: self.listener.rawValue, events: .readable, priority: .notifications
        ) { [unowned self] _ in serve() }
    }

    deinit {
        // Before its descriptor is closed.
        source.handle = nil
    }

    /// Its descriptor, borrowed.
    var descriptor: Int32 { listener.rawValue }

    /// Answers what a predecessor in this process has received and not answered.
    func goOn(with call: BindCall) { answer(call) }

    private func serve() {
        // Its end may have it dropped.
        withExtendedLifetime(self) {
            do throws(LinuxError) {
                for _ in 0..<Self.mostAtOnce {
                    guard underway == nil, let call = try listener.next() else { return }
                    answer(call)
                }
            } catch {
                source.handle = nil
                ended()
            }
        }
    }

    private func answer(_ call: BindCall) {
        guard let doors = lender(), case let lent = doors.offer(), !lent.isEmpty else {
            return listener.goOn(call)
        }
        do throws(LinuxError) {
            let own = Handoff(try listener.duplicate())
            let service = BindService(lent)
            let (loop, told) = (
                loop,
                LoopConfined({ self.finish(call, $0, doors) } as (BindService.Outcome) -> Void, on: loop)
            )
            try DetachedThread.start(stackSize: Self.stackSize) {
                var outcome = BindService.Outcome.answered
                // It is taken once: here.
                if let own = try? own.take() { outcome = service.serve(call, own) }
                loop.call { [outcome] in told.value(outcome) }
            }
        } catch {
            doors.yield(lent.map(\.place), to: "\(error)")
            return listener.goOn(call)
        }
        underway = call
        // Ignoring a failure: what comes meanwhile is left where it is.
        try? source.handle?.setEnabled(.off)
    }

    private func finish(_ call: BindCall, _ outcome: BindService.Outcome, _ doors: EvictedDoors) {
        underway = nil
        switch outcome {
        case .answered: break
        case .given(let place): doors.given(place)
        case .yields(let places, let problem):
            doors.yield(places, to: problem)
            listener.goOn(call)
        }
        try? source.handle?.setEnabled(.on)
    }
}
