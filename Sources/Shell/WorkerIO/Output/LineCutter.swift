internal import Glibc

/// Cuts what comes in pieces into lines, none longer than it may be: what is beyond that is dropped.
package struct LineCutter {
    /// The most bytes of a line that are kept.
    package let longest: Int
    /// What has come of a line whose end has not.
    package private(set) var partial: [UInt8] = []
    private var isCut = false

    package init(longest: Int) {
        self.longest = longest
    }

    /// Takes the next piece, and hands over each line that it ends, without its end.
    package mutating func take(_ bytes: ArraySlice<UInt8>, _ line: ([UInt8]) -> Void) {
        var rest = bytes
        while let end = rest.firstNewline {
            keep(rest[..<end])
            line(finished())
            rest = rest[(end + 1)...]
        }
        keep(rest)
    }

    /// The line that nothing has ended; nil where there is none.
    package mutating func finish() -> [UInt8]? { partial.isEmpty ? nil : finished() }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        let room = longest - partial.count
        partial += bytes.prefix(room)
        if bytes.count > room { isCut = true }
    }

    private mutating func finished() -> [UInt8] {
        defer {
            partial.removeAll(keepingCapacity: true)
            isCut = false
        }
        if isCut { return partial + Array("…".utf8) }
        return partial.last == UInt8(ascii: "\r") ? Array(partial.dropLast()) : partial
    }
}

/// The lines that a hook prints, as many as are told of it; the rest is counted.
package struct PrintedLines {
    /// The most lines of one hook that are told.
    package static let most = 100
    /// The most bytes of one of them.
    package static let longest = 1024

    private var cutter = LineCutter(longest: Self.longest)
    private var told = 0
    private var dropped = 0

    /// Nothing yet.
    package init() {}

    /// Takes the next piece, and returns the lines that are to be told of it.
    package mutating func take(_ bytes: ArraySlice<UInt8>) -> [String] {
        var lines: [String] = []
        guard told < Self.most else {
            count(bytes)
            return lines
        }
        var (told, dropped) = (told, dropped)
        cutter.take(bytes) { line in
            if told < Self.most {
                told += 1
                lines.append(String(decoding: line, as: UTF8.self))
            } else {
                dropped += 1
            }
        }
        (self.told, self.dropped) = (told, dropped)
        return lines
    }

    /// What is to be told when it prints no more: a line without an end, and how many were not told.
    package mutating func finish() -> [String] {
        var lines: [String] = []
        if let last = cutter.finish() {
            if told < Self.most {
                told += 1
                lines.append(String(decoding: last, as: UTF8.self))
            } else {
                dropped += 1
            }
        }
        if dropped > 0 { lines.append("... and \(dropped) more lines") }
        dropped = 0
        return lines
    }

    /// Nothing is kept of lines that will never be shown.
    private mutating func count(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while let end = rest.firstNewline {
            dropped += 1
            rest = rest[(end + 1)...]
        }
    }
}

extension ArraySlice<UInt8> {
    /// Where the first newline is, by memchr(3): output may come by the gigabyte.
    package var firstNewline: Int? {
        withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base, 0x0a, bytes.count) else {
                return nil
            }
            return startIndex + (UnsafeRawPointer(found) - base)
        }
    }
}
