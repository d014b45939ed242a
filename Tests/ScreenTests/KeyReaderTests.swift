import Screen
import TestSupport
import Testing

@Suite struct `Keys` {
    private static let table: [(bytes: String, keys: [Key])] = [
        ("a", [.character("a")]),
        ("é€𝄞", [.character("é"), .character("€"), .character("𝄞")]),
        ("\r\n\t\u{7f}\u{8}", [.enter, .enter, .tab, .backspace, .backspace]),
        ("\u{1}\u{3}\u{1a}", [.control("a"), .control("c"), .control("z")]),
        ("\u{1b}[A\u{1b}[B\u{1b}OC\u{1b}OD", [.up, .down, .right, .left]),
        ("\u{1b}[1;5A\u{1b}[H\u{1b}OF\u{1b}[1~\u{1b}[4~", [.up, .home, .end, .home, .end]),
        ("\u{1b}[5~\u{1b}[6~\u{1b}[3~\u{1b}[15~", [.pageUp, .pageDown, .delete, .other]),
        // F1 of the Linux console, Alt with a letter, a mouse, the answer of a terminal.
        ("\u{1b}[[A", [.other]), ("\u{1b}K", [.other]), ("\u{1b}[<0;1;1M", [.other]),
        ("\u{1b}[?1;2c", [.other]), ("\u{1b}OM", [.enter]),
        // What is meant for a terminal, and was sent back.
        ("\u{1b}]0;Ky\u{7}q", [.character("q")]), ("\u{1b}P1$rKy\u{1b}\\q", [.character("q")]),
        ("\u{1b}[200~Ky\u{1b}[A\n\u{3}é\u{1b}[201~q", [.pasted("Kyé"), .character("q")]),
        ("\u{1b}[201~q", [.character("q")]),
        ("\u{1b}\u{1b}[A", [.escape, .up]),
        ("\u{1b}[" + String(repeating: "9", count: 5000) + "~q", [.other, .character("q")]),
    ]

    @Test func `mean what terminals send for them`() {
        for (bytes, keys) in Self.table {
            var reader = KeyReader()
            #expect(reader.read(bytes.utf8) == keys, "\(bytes.debugDescription)")
            #expect(!reader.isWaiting, "\(bytes.debugDescription)")
        }
    }

    @Test func `are the same however the bytes come`() {
        for (bytes, keys) in Self.table {
            var reader = KeyReader()
            #expect(bytes.utf8.flatMap { reader.read([$0]) } == keys, "\(bytes.debugDescription)")
        }
    }

    @Test func `that are broken are no keys, and hide none`() {
        var reader = KeyReader()
        #expect(reader.read([0xc3, 0x61]) == [.other, .character("a")])
        #expect(reader.read([0xff, 0x80, 0xc0]) == [.other, .other, .other])
        // Longer than need be, a surrogate, past the last.
        #expect(reader.read([0xe0, 0x80, 0xaf]) == [.other])
        #expect(reader.read([0xed, 0xa0, 0x80]) == [.other])
        #expect(reader.read([0xf4, 0x90, 0x80, 0x80]) == [.other])
    }

    @Test func `that may go on are decided when nothing follows`() {
        var reader = KeyReader()
        #expect(reader.read([0x1b]).isEmpty && reader.isWaiting)
        #expect(reader.expire() == [.escape] && !reader.isWaiting)
        #expect(reader.read("\u{1b}[1".utf8).isEmpty && reader.isWaiting)
        #expect(reader.expire() == [.other])
        #expect(reader.read("\u{1b}[200~K".utf8).isEmpty && reader.isWaiting)
        #expect(reader.expire().isEmpty && !reader.isWaiting)
        #expect(reader.read("q".utf8) == [.character("q")])
    }

    @Test func `that are pasted are dropped where they are too many`() {
        var reader = KeyReader()
        let text = "\u{1b}[200~" + String(repeating: "x", count: 100_000) + "\u{1b}[201~q"
        #expect(reader.read(text.utf8) == [.pasted(""), .character("q")])
    }

    @Test(arguments: 0..<20) func `come of any bytes, the same in any pieces`(_ seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let likely: [UInt8] = [0x1b, 0x5b, 0x4f, 0x7e, 0x32, 0x30, 0x31, 0x5d, 0x07, 0x5c, 0xc3, 0xa9, 0x3b]
        let bytes = (0..<2000).map { _ -> UInt8 in
            Bool.random(using: &random)
                ? likely.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
        }
        var (whole, pieces) = (KeyReader(), KeyReader())
        let keys = whole.read(bytes)
        var rest = bytes[...]
        var other: [Key] = []
        while !rest.isEmpty {
            let count = Int.random(in: 1...9, using: &random)
            other += pieces.read(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        #expect(keys == other)
        #expect(keys.count <= bytes.count)
        for case .character(let scalar) in keys { #expect(scalar.value >= 0x20 && scalar.value != 0x7f) }
    }
}
