/// What time it is, and how this place writes it.
package struct WallClock: Sendable {
    /// The local time's difference from UTC, and its name.
    package struct Zone: Hashable, Sendable {
        /// Seconds east of UTC.
        package let offset: Int64
        /// As `CET`.
        package let name: String

        /// A zone called `name`, `offset` seconds east of UTC.
        package init(offset: Int64, name: String) {
            self.offset = offset
            self.name = name
        }

        /// Universal time.
        package static let utc = Zone(offset: 0, name: "UTC")
    }

    /// Now, in microseconds since 1970.
    package let now: Int64
    package let zone: @Sendable (_ second: Int64) -> Zone

    /// A clock that shows `now`, at a place whose zone at each second since 1970 is `zone`.
    package init(now: Int64, zone: @escaping @Sendable (_ second: Int64) -> Zone = { _ in .utc }) {
        self.now = now
        self.zone = zone
    }

    /// The moment as systemctl writes it: `Fri 2025-11-21 10:27:31 UTC`.
    package func stamp(_ microseconds: Int64) -> String {
        let second = microseconds.floorDivided(by: 1_000_000)
        let zone = zone(second)
        let local = second.addingReportingOverflow(zone.offset).partialValue
        let day = local.floorDivided(by: 86_400)
        return "\(Self.weekday(day)) \(Self.date(day)) \(Self.time(local - day * 86_400)) \(zone.name)"
    }

    /// Day and time, down to the millisecond: `2025-11-21 10:27:31.042`.
    package func dayAndTime(_ microseconds: Int64) -> String {
        let second = microseconds.floorDivided(by: 1_000_000)
        let local = second.addingReportingOverflow(zone(second).offset).partialValue
        return "\(Self.date(local.floorDivided(by: 86_400))) \(timeOfDay(microseconds))"
    }

    /// The time of day, down to the millisecond: `10:27:31.042`; JSON has the microseconds.
    package func timeOfDay(_ microseconds: Int64) -> String {
        let second = microseconds.floorDivided(by: 1_000_000)
        let local = second.addingReportingOverflow(zone(second).offset).partialValue
        let below = microseconds % 1_000_000
        let fraction = String((below < 0 ? below + 1_000_000 : below) / 1000)
        return Self.time(local - local.floorDivided(by: 86_400) * 86_400) + "."
            + String(repeating: "0", count: 3 - fraction.utf8.count) + fraction
    }

    /// How long ago the moment was, as systemctl writes it: `2h 5min ago`; `… left` where it lies ahead.
    package func age(_ microseconds: Int64) -> String {
        let (difference, overflow) = now.subtractingReportingOverflow(microseconds)
        guard !overflow, difference != .min, difference != 0 else { return "now" }
        return Self.coarse(abs(difference)) + (difference > 0 ? " ago" : " left")
    }

    /// A span in the units that matter, by the rules of systemd's format_timestamp_relative().
    private static func coarse(_ span: Int64) -> String {
        let second: Int64 = 1_000_000
        let (minute, hour, day) = (60 * second, 3600 * second, 86_400 * second)
        let (week, month, year) = (7 * day, 2_629_800 * second, 31_557_600 * second)
        func words(_ count: Int64, _ unit: String) -> String { "\(count) \(unit)\(count == 1 ? "" : "s")" }
        return switch span {
        case year...: words(span / year, "year") + " " + words(span % year / month, "month")
        case month...: words(span / month, "month") + " " + words(span % month / day, "day")
        case week...: words(span / week, "week") + " " + words(span % week / day, "day")
        case (2 * day)...: words(span / day, "day")
        case (25 * hour)...: "1 day \((span - day) / hour)h"
        case (6 * hour)...: "\(span / hour)h"
        case hour...: "\(span / hour)h \(span % hour / minute)min"
        case (5 * minute)...: "\(span / minute)min"
        case minute...: "\(span / minute)min \(span % minute / second)s"
        case second...: "\(span / second)s"
        case 1000...: "\(span / 1000)ms"
        default: "\(span)us"
        }
    }

    private static func weekday(_ day: Int64) -> String {
        // 1970 began on a Thursday.
        ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(day - day.floorDivided(by: 7) * 7)]
    }

    /// The Gregorian date of a day since 1970; years are counted from March, so that leap days come last.
    package static func date(_ day: Int64) -> String {
        let shifted = day + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(year)-\(twoDigits(month))-\(twoDigits(dayOfYear - (153 * march + 2) / 5 + 1))"
    }

    private static func time(_ second: Int64) -> String {
        "\(twoDigits(second / 3600)):\(twoDigits(second / 60 % 60)):\(twoDigits(second % 60))"
    }

    private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int64 {
    /// The quotient rounded down, so that moments before 1970 have a day and a time too.
    package func floorDivided(by divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }
}
