internal import Glibc

/// The zone of this process (localtime(5), `$TZ`).
package enum LocalZone {
    /// Reads the zone's file anew (tzset(3)).
    package static func reload() { tzset() }

    /// The time now as systemd.time(7) writes it, as in `Mon 2026-03-02 09:15:00 CET`.
    package static var text: String { text("%a %Y-%m-%d %H:%M:%S %Z") }

    /// The time of day now, as in `09:15:00`.
    package static var timeOfDay: String { text("%H:%M:%S") }

    private static func text(_ format: String) -> String {
        var now = time_t(KernelClock.wall / 1_000_000)
        var parts = unsafe tm()
        var room = [CChar](repeating: 0, count: 64)
        guard unsafe localtime_r(&now, &parts) != nil else { return "" }
        let count = unsafe strftime(&room, room.count, format, &parts)
        return String(decoding: room[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// How far local time is ahead of UTC at `seconds` since 1970, in seconds; by localtime_r(3).
    package static func offset(at seconds: Int64) -> Int64 {
        var time = time_t(seconds)
        var parts = unsafe tm()
        // It fails for years beyond what an Int32 counts only.
        guard unsafe localtime_r(&time, &parts) != nil else { return 0 }
        return unsafe Int64(parts.tm_gmtoff)
    }
}
