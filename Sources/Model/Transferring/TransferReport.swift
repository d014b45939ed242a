/// What the holder of a transfer (torpor-transfer(8)) tells the supervisor, in a file that both have open.
///
/// The file has two slots, which are written in turn, so that one is whole at any moment: the one with the higher sequence holds.
package struct TransferReport: Hashable, Sendable {
    /// How far the holder is.
    package enum Stage: Hashable, Sendable {
        /// The command runs, or is about to.
        case running
        /// Its main process has ended; what it has left is being ended.
        case ended(TransferStatus)
        /// All is over.
        case over(TransferStatus)
    }

    /// The process of the holder.
    package var holder: Int32
    /// The main process of the command; 0 before it is there.
    package var command: Int32
    package var stage: Stage
    package var progress: TransferProgress
    /// How many bytes it has printed.
    package var printed: UInt64
    /// The last lines that it printed.
    package var lines: [String]
    /// How many processes it has left behind.
    package var leftovers: UInt32

    package init(
        holder: Int32, command: Int32 = 0, stage: Stage = .running, progress: TransferProgress = .init(),
        printed: UInt64 = 0, lines: [String] = [], leftovers: UInt32 = 0
    ) {
        self.holder = holder
        self.command = command
        self.stage = stage
        self.progress = progress
        self.printed = printed
        self.lines = lines
        self.leftovers = leftovers
    }

    /// How its command ended, where that is known.
    package var status: TransferStatus? {
        switch stage {
        case .running: nil
        case .ended(let status), .over(let status): status
        }
    }

    /// The bytes of a slot; a report that is written is no longer.
    package static let slotSize = 8192
    private static let head = "torpor-transfer"

    /// The report as the slot with this sequence has it.
    package func bytes(sequence: UInt32) -> [UInt8] {
        var body = "holder \(holder)\ncommand \(command)\nprinted \(printed)\n"
        switch stage {
        case .running: break
        case .ended(let status): body += "ended \(status.code)\n"
        case .over(let status): body += "over \(status.code)\n"
        }
        if let done = progress.done { body += "done \(done)\n" }
        if let total = progress.total { body += "total \(total)\n" }
        if let percent = progress.percent { body += "percent \(percent)\n" }
        if !progress.text.isEmpty { body += "text \(progress.text)\n" }
        if leftovers > 0 { body += "leftovers \(leftovers)\n" }
        for line in lines { body += "line \(line)\n" }
        var content = Array(body.utf8)
        let most = Self.slotSize - 64
        if content.count > most { content = Array(content.prefix(most)) }
        return Array("\(Self.head) \(sequence) \(content.count) \(Self.checksum(content[...]))\n".utf8)
            + content
    }

    /// The report of the newer of two slots that is whole, and its sequence; nil where none is.
    package static func read(_ file: [UInt8]) -> (report: TransferReport, sequence: UInt32)? {
        let slots = [file.prefix(slotSize), file.dropFirst(slotSize).prefix(slotSize)]
        return slots.compactMap(slot).max { $0.1 < $1.1 }
    }

    private static func slot(_ bytes: ArraySlice<UInt8>) -> (TransferReport, UInt32)? {
        guard let end = bytes.prefix(64).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let words = bytes[..<end].split(separator: UInt8(ascii: " ")).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard words.count == 4, words[0] == head, let sequence = UInt32(words[1]),
            let count = Int(words[2]), count >= 0, count <= bytes.endIndex - end - 1,
            let sum = UInt32(words[3])
        else { return nil }
        let content = bytes[(end + 1)...].prefix(count)
        guard checksum(content) == sum, let report = TransferReport(reading: content) else { return nil }
        return (report, sequence)
    }

    private init?(reading content: ArraySlice<UInt8>) {
        self.init(holder: 0)
        for row in content.split(separator: UInt8(ascii: "\n")) {
            let key = row.prefix { $0 != UInt8(ascii: " ") }
            let text = String(decoding: row.dropFirst(key.count + 1), as: UTF8.self)
            take(String(decoding: key, as: UTF8.self), text)
        }
        guard holder > 0 else { return nil }
    }

    /// Takes one row; what this version does not know is passed over.
    private mutating func take(_ key: String, _ text: String) {
        switch key {
        case "holder": holder = Int32(text) ?? 0
        case "command": command = max(0, Int32(text) ?? 0)
        case "printed": printed = UInt64(text) ?? 0
        case "ended": stage = .ended(TransferStatus(code: text))
        case "over": stage = .over(TransferStatus(code: text))
        case "done": progress.done = UInt64(text)
        case "total": progress.total = UInt64(text)
        case "percent": progress.percent = UInt8(text).flatMap { $0 <= 100 ? $0 : nil }
        case "text": progress.text = String(text.prefix(TransferOutput.longestText))
        case "leftovers": leftovers = UInt32(text) ?? 0
        case "line":
            guard lines.count < TransferOutput.mostLines else { return }
            lines.append(String(text.prefix(TransferOutput.longestLine)))
        default: break
        }
    }

    /// FNV-1a: half a write is not taken for a whole one.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}

extension TransferStatus {
    /// A word for it: `exited:0`, `killed:9`.
    fileprivate var code: String {
        switch self {
        case .exited(let code): "exited:\(code)"
        case .killed(let signal): "killed:\(signal)"
        case .notStarted: "notStarted"
        case .unknown: "unknown"
        }
    }

    fileprivate init(code: String) {
        let parts = code.split(separator: ":", omittingEmptySubsequences: false)
        let number = parts.count == 2 ? Int32(parts[1]) : nil
        switch (parts.first, number) {
        case ("exited", let number?): self = .exited(number)
        case ("killed", let number?): self = .killed(signal: number)
        case ("notStarted", _): self = .notStarted
        default: self = .unknown
        }
    }
}
