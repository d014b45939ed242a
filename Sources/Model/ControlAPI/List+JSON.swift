package import Varlink

/// The answer to List, written in one go: by way of ``JSON`` that of a thousand workers takes several times as long.
extension SupervisorInterface.List.Reply {
    /// Appends the object that its members make, with the bytes that encoding it gives.
    package func write(into bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"workers":["#.utf8)
        var isFirst = true
        for worker in workers {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            worker.write(into: &bytes)
        }
        bytes.append(contentsOf: #"],"asleepCount":"#.utf8)
        JSON.write(integer: asleepCount, into: &bytes)
        JSON.write(#","givenBackBytes":"#, givenBackBytes, into: &bytes)
        JSON.write(#","lowPower":"#, lowPower, into: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    /// The reply as a message, with `continues` where further ones follow.
    package func message(continues: Bool = false) -> EncodedMessage {
        EncodedMessage(continues: continues) { write(into: &$0) }
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
