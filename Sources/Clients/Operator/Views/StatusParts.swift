internal import ControlAPI
internal import Varlink

extension SupervisorInterface.Deadline {
    /// The deadline as a clause: `launch in 12.3s, then it is killed`.
    var words: String {
        let consequence = then.isEmpty ? "" : ", then \(then.printable)"
        return "\(name.printable) in \(span(remainingUsec))\(consequence)"
    }
}

extension SupervisorInterface.Interruption {
    /// What interrupts, since when, and for how long at most.
    func words(_ clock: WallClock, _ users: UserNames) -> String {
        let subject = subject.map { " " + $0.printable } ?? ""
        let what: String =
            switch kind {
            case .sessionLock: "the lock of session\(subject)"
            case .call: "a call" + (subject.isEmpty ? "" : " for\(subject)")
            case .request: "a request" + (subject.isEmpty ? "" : " for\(subject)")
            case .worker: "the worker itself" + (subject.isEmpty ? "" : " for\(subject)")
            case .alert: "alert\(subject)"
            }
        let caller = by.map { ", by \($0.words(users))" } ?? ""
        let left = remainingUsec.map { ", \(span($0)) left" } ?? ""
        return "\(number): \(what)\(caller), began \(clock.age(since))\(left)"
    }
}

extension SupervisorInterface.ActivityOffer {
    /// What it is, and since when it is offered.
    func words(_ clock: WallClock) -> String {
        let about = title.map { " (\($0.printable))" } ?? ""
        let age = since.map { ", offered \(clock.age($0))" } ?? ""
        return "\(type.printable)\(about)\(age)\(inHandoff ? ", is being handed over" : "")"
    }
}

extension SupervisorInterface.Memory {
    /// Now, and in brackets what else is known, as systemctl writes it.
    var words: String {
        var more: [String] = []
        if let peakBytes { more.append("peak: \(size(peakBytes))") }
        if let limitBytes { more.append("max: \(size(limitBytes))") }
        if let givenBackBytes { more.append("reclaimed: \(size(givenBackBytes))") }
        if let throttleCount, throttleCount > 0 {
            more.append("throttled at its own limit \(count(Int(clamping: throttleCount), "time"))")
        }
        return size(currentBytes) + (more.isEmpty ? "" : " (\(more.joined(separator: ", ")))")
    }
}

extension SupervisorInterface.Termination {
    /// What happened, when, and with what behind it.
    func lines(_ clock: WallClock, _ users: UserNames) -> [String] {
        var lines = ["\(sentence.printable), \(clock.stamp(at)); \(clock.age(at))"]
        var facts = ["pid \(pid)", "ran \(span(runUsec))"]
        if suspendedUsec > 0 { facts.append("\(span(suspendedUsec)) of it suspended") }
        if let peakMemoryBytes { facts.append("peak memory \(size(peakMemoryBytes))") }
        if let code { facts.append(code.printable) }
        if let callback {
            facts.append("in \(callback.printable)" + (callbackUsec.map { " for \(span($0))" } ?? ""))
        }
        if let requestedBy { facts.append("requested by \(requestedBy.words(users))") }
        lines.append(facts.joined(separator: ", "))
        return lines
    }
}

extension JSON.Object {
    /// The object on one line.
    var line: String { JSON.object(self).line }
}

extension String {
    /// The word as a shell would take it, quoted only where it must be.
    var shellWord: String {
        let isPlain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
                true
            default: "-_./=:,@%+".utf8.contains(byte)
            }
        }
        guard !isPlain || isEmpty else { return self }
        return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
