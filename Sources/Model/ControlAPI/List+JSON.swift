package import Varlink

/// The answer to List, written worker by worker: by way of ``JSON`` that of a thousand takes several times as long.
package struct ListWriter {
    private var bytes: [UInt8]
    private var isFirst = true

    /// The message with the bytes that encoding a ``SupervisorInterface/List/Reply`` of the same gives; `write` appends its workers, some
    /// `count` of them, and ends it.
    package static func message(count: Int, writing write: (inout ListWriter) -> Void) -> EncodedMessage {
        EncodedMessage { bytes in
            var writer = ListWriter(bytes: [])
            swap(&writer.bytes, &bytes)
            writer.bytes.reserveCapacity(128 * (count + 2))
            writer.bytes.append(contentsOf: #"{"workers":["#.utf8)
            write(&writer)
            swap(&writer.bytes, &bytes)
        }
    }

    /// Adds one worker after those before.
    package mutating func append(_ worker: SupervisorInterface.WorkerSummary) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        worker.write(into: &bytes)
    }

    /// Adds what is said of all, after the last worker.
    package mutating func end(asleepCount: Int64, givenBackBytes: Int64, lowPower: String?) {
        bytes.append(contentsOf: #"],"asleepCount":"#.utf8)
        JSON.write(integer: asleepCount, into: &bytes)
        JSON.write(#","givenBackBytes":"#, givenBackBytes, into: &bytes)
        JSON.write(#","lowPower":"#, lowPower, into: &bytes)
        bytes.append(UInt8(ascii: "}"))
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
