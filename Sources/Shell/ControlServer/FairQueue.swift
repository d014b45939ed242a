package import DequeModule

/// What waits for its turn, by account: the accounts take turns, and what one of them waits for is in order.
///
/// An account with much that waits delays itself, and any other by one turn.
package struct FairQueue<Account: Hashable & Sendable, Item> {
    var turns: Deque<Account> = []
    private var items: [Account: Deque<Item>] = [:]
    /// How many items wait.
    package private(set) var count = 0

    /// An empty queue.
    package init() {}

    /// Whether nothing waits.
    package var isEmpty: Bool { count == 0 }

    /// How many accounts wait.
    package var accountCount: Int { turns.count }

    /// The accounts that wait, the next one first.
    package var accounts: Deque<Account> { turns }

    /// Adds `item` behind what waits for that account; an account of which nothing waited has its turn last.
    package mutating func append(_ item: Item, of account: Account) {
        if items[account] == nil { turns.append(account) }
        items[account, default: []].append(item)
        count += 1
    }

    /// The next item of the first account that `may` have a turn; its next turn is behind those of all others.
    package mutating func popFirst(where may: (Account) -> Bool = { _ in true }) -> (
        account: Account, item: Item
    )? {
        for index in turns.indices where may(turns[index]) {
            let account = turns.remove(at: index)
            guard let item = items[account]?.popFirst() else { continue }
            count -= 1
            if items[account]?.isEmpty ?? true { items[account] = nil } else { turns.append(account) }
            return (account, item)
        }
        return nil
    }
}
