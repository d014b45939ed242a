import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1))) struct `What is kept for workers` {
    private func store(_ path: String, pageLimit: Int? = nil) -> Store {
        var settings = Store.Settings(
            path: path, retention: Retention(maxAge: nil, maxSize: 1 << 30), bootID: "boot")
        settings.pageLimit = pageLimit
        return Store(settings, deliver: { $0() }, report: { _ in })
    }

    private func put(_ sequence: UInt64, _ topic: String = "t", payload: String? = nil) -> Write {
        .mail(
            worker: "w",
            .put(
                KeptNotification(
                    sequence: sequence, topic: topic, rule: "each", count: 1, first: 1, last: 2,
                    payload: payload, added: "[\"a\"]", dropped: 3)))
    }

    @Test func `is there again as it was left, the last of each thing`() throws {
        try withTemporaryDirectory { path throws in
            let schedule = KeptSchedule(
                id: 4, topic: "s", rule: "count", payload: "{}", wakes: true, survives: false, due: 5,
                period: 6)
            let first = store(path + "/db")
            first.write(Batch([put(1), put(2, payload: "{}"), put(3)]))
            first.write(
                Batch([
                    .mail(worker: "w", .delete(1)), .mail(worker: "w", .delete(3)),
                    .mail(worker: "w", .knows("n", nil)), .mail(worker: "w", .knows("m", "{}")),
                    .mail(worker: "w", .knows("o", "{}")), .mail(worker: "w", .forgets("o")),
                    .mail(worker: "v", .schedule(schedule)), .mail(worker: "v", .schedule(schedule)),
                    .mail(worker: "x", .schedule(schedule)), .mail(worker: "x", .cancel(4)),
                ]))
            let own = try first.mail()
            first.close()
            let second = store(path + "/db")
            let mail = try second.mail()
            second.close()
            #expect(mail["w"]?.notifications.map(\.sequence) == [2])
            #expect(mail["w"]?.notifications.first?.payload == "{}")
            #expect(mail["w"]?.notifications.first?.added == "[\"a\"]")
            #expect(mail["w"]?.known == ["n": nil, "m": "{}"])
            #expect(mail["v"]?.schedules == [schedule])
            #expect(mail["x"] == nil)
            #expect(own.isEmpty || own == mail, "what is asked may be written, or not yet")
        }
    }

    @Test func `never gives a number out again that was kept`() throws {
        try withTemporaryDirectory { path throws in
            let first = store(path + "/db")
            first.write(Batch([put(41)]))
            first.close()
            let second = store(path + "/db")
            second.write(Batch([.mail(worker: "w", .delete(41))]))
            second.close()
            let third = store(path + "/db")
            #expect(try third.mail()["w"]?.lastSequence == 41)
            third.close()
        }
    }

    @Test func `waits in memory as one change of each thing, however often that has changed`() {
        var backlog = MailBacklog()
        for count in 0..<10_000 {
            backlog.append(
                .put(
                    KeptNotification(
                        sequence: 1, topic: "t", rule: "count", count: Int64(count), first: 0, last: 0)),
                of: "w")
        }
        #expect(backlog.count == 1)
        var later = MailBacklog()
        later.append(.delete(1), of: "w")
        later.append(.delete(2), of: "w")
        backlog.absorb(later)
        #expect(backlog.count == 2)
        #expect(backlog.changes["w"]?[.notification(1)] == .delete(1))
    }
}
