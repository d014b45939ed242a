internal import ConfigurationSyntax
internal import Lifecycle
internal import WorkerFile

extension WallClock {
    /// What a moment looks like.
    package static let expectation =
        "a time such as 'today', '2h ago', '-30min', '10:30', '2025-11-21 10:27:31' or '@1763720851'"

    /// What a moment that lies ahead looks like.
    package static let futureExpectation =
        "a time such as '+5min', 'tomorrow', '18:30', '2026-11-21 10:00' or '@1795341600'"

    /// The moment that `text` means, in microseconds since 1970; nil where it means none.
    ///
    /// The simpler forms of systemd.time(7): `now`, `today`, `yesterday`, `tomorrow`, `SPAN ago`, `-SPAN`, `+SPAN`, `@SECONDS`, and a date, a time or
    /// both, here or with `UTC`.
    package func moment(_ text: String) -> Int64? {
        switch text {
        case "now": return now
        case "today": return midnight(daysAgo: 0)
        case "yesterday": return midnight(daysAgo: 1)
        case "tomorrow": return midnight(daysAgo: -1)
        default: break
        }
        if text.hasPrefix("+") { return after(text.dropFirst()) }
        if text.hasSuffix(" ago") { return before(text.dropLast(4)) }
        if text.hasPrefix("-") { return before(text.dropFirst()) }
        if text.hasPrefix("@") {
            return (try? TimeSpan(parsing: String(text.dropFirst()))).map(\.microseconds)
        }
        return calendar(text)
    }

    /// The same for what lies ahead: a mere time of the day that has passed today is tomorrow's, as with at(1).
    package func momentAhead(_ text: String) -> Int64? {
        guard let moment = moment(text) else { return nil }
        let words = text.split(separator: " ")
        guard moment <= now, let first = words.first, let time = Self.timeOfDay(first) else { return moment }
        if words.count == 1 { return midnight(daysAgo: -1) + time }
        // A day of UTC always has the same length.
        return words.count == 2 && words[1] == "UTC" ? moment + 86_400_000_000 : moment
    }

    private func before(_ span: Substring) -> Int64? {
        (try? TimeSpan(parsing: String(span))).map {
            now.subtractingReportingOverflow($0.microseconds).partialValue
        }
    }

    private func after(_ span: Substring) -> Int64? {
        (try? TimeSpan(parsing: String(span))).map {
            now.addingReportingOverflow($0.microseconds).partialValue
        }
    }

    private func midnight(daysAgo: Int64) -> Int64 {
        moment(localSecond: (today - daysAgo) * 86_400, zone)
    }

    /// The day here, counted from 1970.
    private var today: Int64 {
        let second = now.floorDivided(by: 1_000_000)
        return (second + zone(second).offset).floorDivided(by: 86_400)
    }

    private func calendar(_ text: String) -> Int64? {
        let isUniversal = text.hasSuffix(" UTC")
        let zone = isUniversal ? { _ in .utc } : zone
        let parts = text.dropLast(isUniversal ? 4 : 0).split { $0 == " " || $0 == "T" }
        guard let first = parts.first, parts.count <= 2 else { return nil }
        if parts.count == 1, let time = Self.timeOfDay(first) {
            return moment(localSecond: today * 86_400, zone) + time
        }
        guard let day = Self.day(first) else { return nil }
        guard parts.count == 2 else { return moment(localSecond: day * 86_400, zone) }
        return Self.timeOfDay(parts[1]).map { time in
            moment(localSecond: day * 86_400 + time / 1_000_000, zone) + time % 1_000_000
        }
    }

    /// The moment at which clocks here show `second`, counted from 1970 as if there were no zones.
    private func moment(localSecond second: Int64, _ zone: (Int64) -> Zone) -> Int64 {
        // The first guess may be on the other side of a change of the clocks.
        let guess = second - zone(second).offset
        return (second - zone(guess).offset) * 1_000_000
    }

    /// `10:27` or `10:27:31.5` as microseconds of the day.
    private static func timeOfDay(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let hour = number(parts[0], 0...23),
            let minute = number(parts[1], 0...59)
        else { return nil }
        var seconds: Int64 = 0
        if parts.count == 3 {
            guard parts[2].first?.isNumber == true,
                let span = try? TimeSpan(parsing: String(parts[2])), span < .seconds(60)
            else { return nil }
            seconds = span.microseconds
        }
        return (hour * 60 + minute) * 60_000_000 + seconds
    }

    /// `2025-11-21` as days since 1970, by the Gregorian calendar.
    private static func day(_ text: Substring) -> Int64? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.count == 4, let year = number(parts[0], 1970...9999),
            let month = number(parts[1], 1...12), let day = number(parts[2], 1...31)
        else { return nil }
        // Years are counted from March, so that leap days come last.
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        // A day that the month does not have would be one of the next.
        return WallClock.date(days) == text ? days : nil
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int64>) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text)
        else { return nil }
        return range.contains(number) ? number : nil
    }
}
