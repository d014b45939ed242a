import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(15))) struct `What is kept for workers` {
    private func store(_ path: String, pageLimit: Int? = nil) -> Store {
        var settings = Store.Settings(
            path: path, retention: Retention(maxAge: nil, maxSize: 1 << 30), bootID: "boot")
        settings.pageLimit = pageLimit
        return Store(settings, deliver: { $0() }, report: { _ in })
    }

    private func put(_ sequence: UInt64, _ topic: String = "t", payload: String? = nil) -> Write {
        .mail(
            worker: "w",
            [
                .put(
                    KeptNotification(
                        sequence: sequence, topic: topic, rule: "each", count: 1, first: 1, last: 2,
                        payload: payload.map { Array($0.utf8) }, added: "[\"a\"]", dropped: 3))
            ])
    }

    @Test func `is there again as it was left, the last of each thing`() throws {
        try withTemporaryDirectory { path throws in
            let schedule = KeptSchedule(
                id: 4, topic: "s", rule: "count", payload: "{}", wakes: true, survives: false, due: 5,
                period: 6, posterUID: 4201, posterPID: 7, posterProgram: "/usr/bin/cron")
            let first = store(path + "/db")
            first.write(Batch([put(1), put(2, payload: "{}"), put(3)]))
            first.write(
                Batch([
                    .mail(worker: "w", [.delete(1)]), .mail(worker: "w", [.delete(3)]),
                    .mail(worker: "w", [.knows("n", nil)]), .mail(worker: "w", [.knows("m", "{}")]),
                    .mail(worker: "w", [.knows("o", "{}")]), .mail(worker: "w", [.forgets("o")]),
                    .mail(worker: "v", [.schedule(schedule)]), .mail(worker: "v", [.schedule(schedule)]),
                    .mail(worker: "x", [.schedule(schedule)]), .mail(worker: "x", [.cancel(4)]),
                ]))
            let own = try first.mail()
            first.close()
            let second = store(path + "/db")
            let mail = try second.mail()
            second.close()
            #expect(mail["w"]?.notifications.map(\.sequence) == [2])
            #expect(mail["w"]?.notifications.first?.payload == Array("{}".utf8))
            #expect(mail["w"]?.notifications.first?.added == "[\"a\"]")
            #expect(mail["w"]?.known == ["n": nil, "m": "{}"])
            #expect(mail["v"]?.schedules == [schedule])
            #expect(mail["x"] == nil)
            #expect(own.isEmpty || own == mail, "what is asked may be written, or not yet")
        }
    }

    @Test func `is set aside as it was left, with the deaths that are its reason`() throws {
        try withTemporaryDirectory { path throws in
            let poison = KeptNotification(
                sequence: 1, topic: "t", rule: "each", count: 1, first: 1, last: 1, deaths: 2,
                isSetAside: true)
            let first = store(path + "/db")
            first.write(Batch([.mail(worker: "w", [.put(poison)]), put(2)]))
            first.close()
            let second = store(path + "/db")
            #expect(try second.mail()["w"]?.notifications.map(\.isSetAside) == [true, false])
            #expect(try second.mail()["w"]?.notifications.first == poison)
            second.close()
        }
    }

    @Test func `never gives a number out again that was kept`() throws {
        try withTemporaryDirectory { path throws in
            let first = store(path + "/db")
            first.write(Batch([put(41)]))
            first.close()
            let second = store(path + "/db")
            second.write(Batch([.mail(worker: "w", [.delete(41)])]))
            second.close()
            let third = store(path + "/db")
            #expect(try third.mail()["w"]?.lastSequence == 41)
            third.close()
        }
    }

    @Test func `waits in memory in about as much room as there are things, however often those change`() {
        var backlog = MailBacklog()
        for count in 0..<200_000 {
            let change = MailChange.put(
                KeptNotification(
                    sequence: UInt64(count % 3), topic: "t", rule: "count", count: Int64(count), first: 0,
                    last: 0))
            backlog.append([change], of: count.isMultiple(of: 2) ? "w" : "v")
            #expect(backlog.count <= 20_000)
        }
        var later = MailBacklog()
        later.append([.delete(1), .delete(7)], of: "w")
        backlog.absorb(later)
        backlog.keepLastOfEach()
        #expect(backlog.count == 7)
        let own = backlog.portions.filter { $0.worker == "w" }.flatMap(\.changes)
        #expect(own.contains(.delete(1)) && own.contains(.delete(7)))
        #expect(own.map(\.key).contains(.notification(2)) && own.count == 4)
    }
}
