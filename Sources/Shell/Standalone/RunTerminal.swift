internal import Linux
internal import Systemd

/// The terminal that `torpor run` was started on, whoever has it by now: what the kernel tells of it goes to the command, which may sleep.
///
/// A hangup is seen at the open descriptor. For a change of its size there is no event beside SIGWINCH, which only the foreground of the
/// terminal gets: where a hook waits for it, it is looked at.
final class RunTerminal {
    private let terminal: Terminal
    private let hangup = SourceBox<IOSource>()
    private let looks = SourceBox<TimeSource>()
    private let resized: () -> Void
    private var columns: Int?
    private var rows: Int?

    /// How often the size is looked at, in microseconds.
    private static let pace: Int64 = 500_000

    /// Has `hungUp` called once when the terminal is gone, and, where `looksForSize`, `resized` each time its size is another; nil where
    /// `torpor run` was started on none.
    init?(
        on loop: EventLoop, looksForSize: Bool, hungUp: @escaping () -> Void, resized: @escaping () -> Void
    ) {
        guard let terminal = (0...2).lazy.compactMap({ Terminal(descriptor: $0) }).first else { return nil }
        self.terminal = terminal
        self.resized = resized
        note()
        // A descriptor of its own: standard input may be watched for what comes.
        if let copy = try? OwnedDescriptor.copy(of: terminal.descriptor) {
            hangup.handle = try? IOSource(on: loop, owning: copy, events: [], priority: .exits) {
                [unowned self] _ in
                hangup.handle = nil
                looks.handle = nil
                hungUp()
            }
        }
        guard looksForSize else { return }
        looks.handle = try? TimeSource(on: loop, accuracy: 100_000, priority: .clients) {
            [unowned self] _ in look()
        }
        arm()
    }

    /// Its size is known: it was told of otherwise.
    func note() { (columns, rows) = (terminal.size?.columns, terminal.size?.rows) }

    private func look() {
        let size = terminal.size
        if let size, (size.columns, size.rows) != (columns ?? 0, rows ?? 0) {
            (columns, rows) = (size.columns, size.rows)
            resized()
        }
        arm()
    }

    private func arm() { looks.handle?.arm(at: KernelClock.monotonic + Self.pace) }
}
