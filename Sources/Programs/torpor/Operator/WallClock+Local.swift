import Glibc
import Linux
import Operator

extension WallClock {
    /// The time now, and the zone of `$TZ` or /etc/localtime (tzset(3)).
    static var local: WallClock {
        WallClock(now: KernelClock.wall) { second in
            var second = time_t(second)
            var local = tm()
            guard localtime_r(&second, &local) != nil else { return .utc }
            return Zone(
                offset: Int64(local.tm_gmtoff), name: local.tm_zone.map { String(cString: $0) } ?? "UTC")
        }
    }
}
