/// What a text file of the kernel says in lines of a name and a number (`memory.events`, `/proc/meminfo`).
struct KernelTable {
    private let numbers: [Substring: Int64]

    /// Reads the lines that have both, whatever stands around them; the first of two lines of one name counts.
    init(_ text: String) {
        var numbers: [Substring: Int64] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count >= 2, let number = Self.number(words[1]) else { continue }
            let name = words[0].last == ":" ? words[0].dropLast() : words[0]
            if numbers[name] == nil { numbers[name] = number }
        }
        self.numbers = numbers
    }

    /// The number of this name.
    subscript(name: Substring) -> Int64? { numbers[name] }

    /// The bytes that a line in kB tells; nil when there is none, or when so much cannot be.
    func bytes(_ name: Substring) -> Int64? {
        guard let kilobytes = numbers[name] else { return nil }
        let (bytes, overflow) = kilobytes.multipliedReportingOverflow(by: 1024)
        return overflow ? nil : bytes
    }

    /// A number that consists of digits: no sign, and nothing that does not fit.
    static func number(_ word: Substring) -> Int64? {
        guard word.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return Int64(word)
    }
}
