/// Figures in as few characters as a column has.
enum TopWords {
    /// A length of time in its largest unit, of at most 5 characters: `59s`, `12min`, `5h`, `3d`.
    static func span(_ microseconds: Int64) -> String {
        let seconds = max(microseconds, 0) / 1_000_000
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3600: return "\(seconds / 60)min"
        case ..<86_400: return "\(seconds / 3600)h"
        case ..<(86_400 * 365): return "\(seconds / 86_400)d"
        default: return "\(min(seconds / (86_400 * 365), 999))y"
        }
    }

    /// A size of at most 5 characters: `3.1G`, `312M`, `0B`.
    static func size(_ bytes: Int64) -> String {
        var (whole, below) = (max(bytes, 0), Int64(0))
        guard whole >= 1024 else { return "\(whole)B" }
        for unit in ["K", "M", "G", "T", "P", "E"] {
            (whole, below) = (whole / 1024, whole % 1024)
            guard whole >= 1024 else {
                return whole < 10 ? "\(whole).\(below * 10 / 1024)\(unit)" : "\(whole)\(unit)"
            }
        }
        return "\(whole)E"
    }

    /// A count of at most `width` characters: `12`, `3k`, `2M`.
    static func count(_ number: Int) -> String {
        switch number {
        case ..<1000: "\(max(number, 0))"
        case ..<100_000: "\(number / 1000)k"
        case ..<1_000_000: "99k"
        default: "\(min(number / 1_000_000, 99))M"
        }
    }

    /// A share in percent, of thousandths of a percent: `0.4`, `12`, `400`.
    static func percent(_ thousandths: Int64) -> String {
        let tenths = (max(thousandths, 0) + 50) / 100
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(min(tenths / 10, 9999))"
    }

    /// A number and what is counted.
    static func number(_ count: Int, _ thing: String) -> String {
        "\(count) \(thing)\(count == 1 ? "" : "s")"
    }
}
