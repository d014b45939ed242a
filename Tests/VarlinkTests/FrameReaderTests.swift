import TestSupport
import Testing

@testable import Varlink

@Suite
struct `A byte stream is cut into messages` {
    /// The messages of `chunks`, and whether the reader gave up.
    private func messages(_ chunks: [[UInt8]], limit: Int = 100) -> (texts: [String], failed: Bool) {
        var reader = FrameReader(limit: limit)
        var texts: [String] = []
        var failed = false
        for chunk in chunks {
            let outcome = reader.receive(chunk.span) { message in
                String(decoding: message.indices.map { message[$0] }, as: UTF8.self)
            }
            texts += outcome.messages
            failed = failed || outcome.failure != nil
        }
        return (texts, failed)
    }

    @Test func `at every byte where a chunk may end`() {
        let stream = Array("one\0\0three\0four four four\0rest".utf8)
        for first in 0...stream.count {
            for second in first...stream.count {
                let chunks = [stream[..<first], stream[first..<second], stream[second...]].map { Array($0) }
                #expect(messages(chunks).texts == ["one", "", "three", "four four four"])
            }
        }
    }

    @Test func `byte by byte`() {
        #expect(messages(Array("a\0bc\0\0".utf8).map { [$0] }).texts == ["a", "bc", ""])
    }

    @Test(arguments: 0..<100) func `in random pieces`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let texts = (0..<20).map { _ in
            String(repeating: "x", count: .random(in: 0...100, using: &random))
        }
        var rest = Array(texts.map { $0 + "\0" }.joined().utf8)[...]
        var chunks: [[UInt8]] = []
        while !rest.isEmpty {
            let piece = rest.prefix(.random(in: 1...60, using: &random))
            chunks.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        let outcome = messages(chunks)
        #expect(outcome.texts == texts)
        #expect(!outcome.failed)
    }

    @Test(arguments: [1, 2, 3, 5, 11]) func `the bound holds to the byte`(_ size: Int) {
        let pieces = { (text: String) in
            let bytes = Array(text.utf8)
            return stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
        }
        let exact = messages(pieces("1234567890\0ok\0"), limit: 10)
        #expect(exact.texts == ["1234567890", "ok"])
        #expect(!exact.failed)
        let over = messages(pieces("ok\012345678901\0lost\0"), limit: 10)
        #expect(over.texts == ["ok"])
        #expect(over.failed)
    }

    @Test func `a message without end is given up at the bound`() {
        var reader = FrameReader(limit: 1000)
        let chunk = [UInt8](repeating: 0x61, count: 64)
        var failed = 0
        for _ in 0..<10_000 where reader.receive(chunk.span, read: { _ in }).failure != nil { failed += 1 }
        #expect(failed == 10_000 - 1000 / 64)
        #expect(!reader.isInsideMessage)
    }

    @Test func `the end of the stream inside a message is seen`() {
        var reader = FrameReader(limit: 10)
        #expect(!reader.isInsideMessage)
        _ = reader.receive([0x61].span) { _ in }
        #expect(reader.isInsideMessage)
        _ = reader.receive([0].span) { _ in }
        #expect(!reader.isInsideMessage)
    }
}
