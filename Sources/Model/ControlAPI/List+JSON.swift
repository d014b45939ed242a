package import Varlink

/// The answer to List, written worker by worker: by way of ``JSON`` that of a thousand takes several times as long.
package struct ListWriter {
    /// The message as far as it is written.
    private var bytes: [UInt8] = []
    private var isFirst = true

    /// Begins an answer that will have some `count` workers.
    package init(count: Int) {
        bytes.reserveCapacity(128 * (count + 2))
        bytes.append(contentsOf: #"{"parameters":{"workers":["#.utf8)
    }

    /// Adds one worker after those before.
    package mutating func append(_ worker: SupervisorInterface.WorkerSummary) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        worker.write(into: &bytes)
    }

    /// The whole as a message, with the bytes that encoding a ``SupervisorInterface/List/Reply`` of the same gives.
    package consuming func message(
        asleepCount: Int64, givenBackBytes: Int64, lowPower: String?
    ) -> EncodedMessage {
        bytes.append(contentsOf: #"],"asleepCount":"#.utf8)
        JSON.write(integer: asleepCount, into: &bytes)
        JSON.write(#","givenBackBytes":"#, givenBackBytes, into: &bytes)
        JSON.write(#","lowPower":"#, lowPower, into: &bytes)
        bytes.append(contentsOf: "}}\0".utf8)
        return EncodedMessage(written: bytes)
    }
}

extension SupervisorInterface.WorkerSummary {
    fileprivate func write(into bytes: inout [UInt8]) {
        JSON.write(#"{"name":"#, name, into: &bytes)
        JSON.write(#","description":"#, description, into: &bytes)
        JSON.write(#","state":"#, state.rawValue, into: &bytes)
        JSON.write(#","since":"#, since, into: &bytes)
        JSON.write(#","goal":"#, goal.rawValue, into: &bytes)
        JSON.write(#","reason":"#, reason?.rawValue, into: &bytes)
        JSON.write(#","pid":"#, pid, into: &bytes)
        JSON.write(#","memoryBytes":"#, memoryBytes, into: &bytes)
        JSON.write(#","held":"#, held, into: &bytes)
        JSON.write(#","adopted":"#, adopted, into: &bytes)
        JSON.write(#","launching":"#, launching, into: &bytes)
        JSON.write(#","fileProblem":"#, fileProblem, into: &bytes)
        JSON.write(#","wakesBy":"#, wakesBy, into: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }
}

extension JSON {
    fileprivate static func write(_ member: StaticString, _ text: String?, into bytes: inout [UInt8]) {
        guard let text else { return }
        append(member, to: &bytes)
        write(string: text, into: &bytes)
    }

    fileprivate static func write(_ member: StaticString, _ number: Int64?, into bytes: inout [UInt8]) {
        guard let number else { return }
        append(member, to: &bytes)
        write(integer: number, into: &bytes)
    }

    fileprivate static func write(_ member: StaticString, _ flag: Bool?, into bytes: inout [UInt8]) {
        guard let flag else { return }
        append(member, to: &bytes)
        append(flag ? "true" : "false", to: &bytes)
    }

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
}
