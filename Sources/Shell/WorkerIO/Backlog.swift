package import Systemd

/// Work on many things that waits until the loop has nothing more urgent, a few of them in each turn, in their order.
package final class Backlog<Item> {
    /// How many have their turn together.
    private let batch: Int
    private let body: (Item) -> Void
    private var waiting: [Item] = []
    private let source = SourceBox<DeferSource>()
    private unowned let loop: EventLoop

    /// None, on `loop`; `body` is called there for each.
    package init(on loop: EventLoop, batch: Int = 16, _ body: @escaping (Item) -> Void) {
        (self.loop, self.batch, self.body) = (loop, batch, body)
    }

    /// Leaves `item` for a later turn; where the loop can be given no source, it has it now.
    package func add(_ item: Item) {
        waiting.append(item)
        if waiting.count > 1 { return }
        if source.handle == nil {
            source.handle = try? DeferSource(on: loop, enabled: .off, priority: .clients) { [unowned self] in
                take(batch)
                if !waiting.isEmpty { source.handle?.setEnabled(.oneshot) }
            }
        }
        source.handle?.setEnabled(.oneshot)
        if source.handle == nil { finish() }
    }

    /// Does all that waits now.
    package func finish() { take(waiting.count) }

    private func take(_ count: Int) {
        let taken = waiting.prefix(count)
        waiting.removeFirst(taken.count)
        for item in taken { body(item) }
    }
}
