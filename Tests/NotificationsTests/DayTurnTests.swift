import Notifications
import Testing

@Suite struct `Where local time does not simply go on` {
    /// Zones as offsets by the moments from which they hold.
    static let utc: [(Int64, Int64)] = [(.min, 0)]
    /// 2026 in Berlin: summer from 29 March 01:00 UTC to 25 October 01:00 UTC.
    static let berlin: [(Int64, Int64)] = [(.min, 3600), (1_774_746_000, 7200), (1_792_890_000, 3600)]
    /// Samoa left out 30 December 2011.
    static let samoa: [(Int64, Int64)] = [(.min, -36000), (1_325_239_200, 50400)]

    struct Row: Sendable {
        let zone: [(Int64, Int64)]
        let now: Int64
        let turn: Int64
        let kind: DayTurn.Kind
    }

    static let rows: [Row] = [
        Row(zone: utc, now: 0, turn: 86400, kind: .midnight),
        Row(zone: utc, now: 86399, turn: 86400, kind: .midnight),
        Row(zone: utc, now: 86400, turn: 172_800, kind: .midnight),
        Row(zone: utc, now: -1, turn: 0, kind: .midnight),
        // New Year's Day, an hour earlier than in UTC.
        Row(zone: berlin, now: 1_767_200_000, turn: 1_767_222_000, kind: .midnight),
        // The day on which summer begins, then the first midnight of it.
        Row(zone: berlin, now: 1_774_738_800, turn: 1_774_746_000, kind: .offset),
        Row(zone: berlin, now: 1_774_746_000, turn: 1_774_821_600, kind: .midnight),
        Row(zone: berlin, now: 1_792_889_999, turn: 1_792_890_000, kind: .offset),
        // The offset and the day turn at once.
        Row(zone: samoa, now: 1_325_239_000, turn: 1_325_239_200, kind: .offset),
        Row(zone: [(.min, 20700)], now: 0, turn: 65700, kind: .midnight),
    ]

    @Test(arguments: rows) func `is found to the second`(_ row: Row) {
        let turn = DayTurn(after: row.now) { moment in row.zone.last { $0.0 <= moment }?.1 ?? 0 }
        #expect(turn.seconds == row.turn)
        #expect(turn.kind == row.kind)
    }
}
