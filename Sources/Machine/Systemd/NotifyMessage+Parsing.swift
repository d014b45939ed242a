extension NotifyMessage {
    /// Reads the bytes of a datagram; throws when it must be dropped whole.
    ///
    /// Lines end with LF or CR, empty ones are skipped, and one NUL may end the message. Flags such as
    /// `READY=1` match exactly; of a value given twice the first counts. Numbers are decimal digits and
    /// nothing else.
    package init(parsing bytes: some Collection<UInt8>) throws(NotifyDrop) {
        guard bytes.count <= Self.lengthLimit else { throw .tooLong(bytes: bytes.count) }
        var content = Array(bytes)
        if content.last == 0 { content.removeLast() }
        guard !content.contains(0) else { throw .innerNUL }

        self.init()
        var draft = Draft()
        for line in content.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            lineCount += 1
            read(line, into: &draft)
        }
        settlePhase(draft)
        settleStorage(draft)
    }

    /// Fields that mean something only together.
    private struct Draft {
        var isReady = false
        var isReloading = false
        var isStopping = false
        var stores = false
        var removes = false
        var isUnpolled = false
        var name: String?
    }

    private mutating func read(_ line: ArraySlice<UInt8>, into draft: inout Draft) {
        guard let text = String(validating: line, as: UTF8.self) else {
            reject(String(decoding: line, as: UTF8.self), "is not UTF-8")
            return
        }
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals > text.startIndex else {
            reject(text, "is not NAME=VALUE")
            return
        }
        let (name, value) = (String(text[..<equals]), String(text[text.utf8.index(after: equals)...]))
        do {
            try take(name, value, into: &draft)
        } catch {
            reject(text, error.reason)
        }
    }

    private mutating func take(_ name: String, _ value: String, into draft: inout Draft) throws(Refusal) {
        switch name {
        case "READY": try Self.set(&draft.isReady, value, "1")
        case "RELOADING": try Self.set(&draft.isReloading, value, "1")
        case "STOPPING": try Self.set(&draft.isStopping, value, "1")
        case "STATUS": try Self.keep(&status, value)
        case "BUSERROR": try Self.keep(&busError, value)
        case "ERRNO": try Self.keep(&errno, Int32(Self.number(value, in: 0...4095)))
        case "MAINPID": try Self.keep(&mainPID, Int32(Self.number(value, in: 1...UInt64(Int32.max))))
        case "WATCHDOG": try Self.keep(&watchdog, Self.watchdog(value))
        case "WATCHDOG_USEC": try Self.keep(&watchdogPeriod, Self.microseconds(value))
        case "EXTEND_TIMEOUT_USEC": try Self.keep(&extendTimeout, Self.microseconds(value))
        case "MONOTONIC_USEC": try Self.keep(&monotonic, Self.microseconds(value))
        case "FDSTORE": try Self.set(&draft.stores, value, "1")
        case "FDSTOREREMOVE": try Self.set(&draft.removes, value, "1")
        case "FDPOLL": try Self.set(&draft.isUnpolled, value, "0")
        case "FDNAME": try Self.keep(&draft.name, Self.descriptorName(value))
        case "BARRIER": try Self.set(&isBarrier, value, "1")
        case "X_TORPOR_IN_USE": try Self.keep(&isInUse, Self.number(value, in: 0...1) == 1)
        case "X_TORPOR_USER_ACTIVITY": try Self.keep(&userActivity, value)
        case "X_TORPOR_COMPLETE": try Self.set(&isCallbackComplete, value, "1")
        default:
            guard unknown.count < Self.keptLimit else { throw Refusal("exceeds the limit of unknown fields") }
            unknown.append(Field(name: name, value: value))
        }
    }

    /// STOPPING beats READY beats RELOADING, but RELOADING with READY is a reload that is over.
    private mutating func settlePhase(_ draft: Draft) {
        phase =
            switch (draft.isStopping, draft.isReady, draft.isReloading) {
            case (true, _, _): .stopping
            case (false, true, true): .reloaded
            case (false, true, false): .ready
            case (false, false, true): .reloading
            case (false, false, false): nil
            }
    }

    /// FDSTOREREMOVE beats FDSTORE, and must say what: nothing is removed under the default name by accident.
    private mutating func settleStorage(_ draft: Draft) {
        if draft.removes {
            guard let name = draft.name else {
                reject("FDSTOREREMOVE=1", "requires a valid FDNAME")
                return
            }
            storage = .remove(name: name)
        } else if draft.stores {
            storage = .store(name: draft.name ?? Self.defaultDescriptorName, polled: !draft.isUnpolled)
        }
    }

    private mutating func reject(_ line: String, _ reason: String) {
        guard rejected.count < Self.keptLimit else { return }
        rejected.append(Rejected(line: line, reason: reason))
    }
}

/// Why a field is left out.
private struct Refusal: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

extension NotifyMessage {
    private static func set(_ flag: inout Bool, _ value: String, _ meant: String) throws(Refusal) {
        guard value == meant else { throw Refusal("must have the value \(meant)") }
        flag = true
    }

    private static func keep<Value>(_ place: inout Value?, _ value: Value) throws(Refusal) {
        guard place == nil else { throw Refusal("is given twice") }
        place = value
    }

    private static func number(_ value: String, in range: ClosedRange<UInt64>) throws(Refusal) -> UInt64 {
        guard let number = NotifyNumber.parse(value) else { throw Refusal("is not a number") }
        guard range.contains(number) else {
            throw Refusal("is not between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    private static func microseconds(_ value: String) throws(Refusal) -> Int64 {
        try Int64(min(number(value, in: 0...UInt64.max), UInt64(longest)))
    }

    private static func watchdog(_ value: String) throws(Refusal) -> Watchdog {
        switch value {
        case "1": .alive
        case "trigger": .trigger
        default: throw Refusal("must have the value 1 or trigger")
        }
    }

    private static func descriptorName(_ value: String) throws(Refusal) -> String {
        guard isDescriptorName(value) else { throw Refusal("is not a valid descriptor name") }
        return value
    }
}
