internal import Glibc

/// The zone of this process (localtime(5), `$TZ`).
public enum LocalZone {
    /// Reads the zone's file anew (tzset(3)).
    public static func reload() { tzset() }

    /// How far local time is ahead of UTC at `seconds` since 1970, in seconds; by localtime_r(3).
    public static func offset(at seconds: Int64) -> Int64 {
        var time = time_t(seconds)
        var parts = unsafe tm()
        // It fails for years beyond what an Int32 counts only.
        guard unsafe localtime_r(&time, &parts) != nil else { return 0 }
        return unsafe Int64(parts.tm_gmtoff)
    }
}
