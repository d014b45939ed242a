internal import CLinux
internal import Glibc
internal import Relaying

// The page that browsers get while they wait.
extension Relay {
    /// Shows `page` to all that wait and ask for one, and to those that come; nil lets them wait.
    func show(_ page: RelayPage?) {
        self.page = page
        guard page != nil else { return }
        for slot in table.indices where table[slot].stage == .waiting {
            look(slot, EventMask.input)
        }
    }

    /// Takes the request of `length` bytes, and sends the page.
    func beginAnswer(_ slot: Int, _ length: Int, isHead: Bool) {
        guard let page else { return }
        var request = [UInt8](repeating: 0, count: length)
        // What is not read when a connection is closed breaks it before the answer is there.
        guard unsafe torpor_relay_receive(table[slot].client, &request, length, 0) == length else {
            return close(slot)
        }
        table[slot].stage = .answering
        counts.waiting -= 1
        counts.pages += 1
        answers[slot] = (isHead ? page.head : page.head + page.body)[...]
        answer(slot)
    }

    /// Sends what is left of a page.
    func answer(_ slot: Int) {
        while let rest = answers[slot], !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes {
                unsafe torpor_relay_send(table[slot].client, $0.baseAddress, $0.count)
            }
            if sent == -Int(EAGAIN) { return wait(slot, .client, EventMask.output) }
            guard sent > 0 else { return reset(slot) }
            answers[slot] = rest.dropFirst(sent)
        }
        close(slot)
    }
}
