import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(60))) struct `What is kept for workers` {
    private func store(_ path: String, pageLimit: Int? = nil) -> Store {
        var settings = Store.Settings(
            path: path, retention: Retention(maxAge: nil, maxSize: 1 << 30), bootID: "boot")
        settings.pageLimit = pageLimit
        return Store(settings, deliver: { $0() }, report: { _ in })
    }

    private func put(_ sequence: UInt64, _ topic: String = "t", payload: String? = nil) -> Write {
        .notifications(
            worker: "w",
            [
                .put(
                    StoredNotification(
                        sequence: sequence, topic: topic, rule: "each", count: 1, first: 1, last: 2,
                        payload: payload.map { Array($0.utf8) }, added: "[\"a\"]", dropped: 3))
            ])
    }

    @Test func `is there again as it was left, the last of each thing`() throws {
        try withTemporaryDirectory { path throws in
            let schedule = StoredSchedule(
                id: 4, topic: "s", rule: "count", payload: "{}", wakes: true, survives: false, due: 5,
                period: 6, posterUID: 4201, posterPID: 7, posterProgram: "/usr/bin/cron")
            let first = store(path + "/db")
            first.write(Batch([put(1), put(2, payload: "{}"), put(3)]))
            first.write(
                Batch([
                    .notifications(worker: "w", [.delete(1)]), .notifications(worker: "w", [.delete(3)]),
                    .notifications(worker: "w", [.knows("n", nil)]),
                    .notifications(worker: "w", [.knows("m", "{}")]),
                    .notifications(worker: "w", [.knows("o", "{}")]),
                    .notifications(worker: "w", [.forgets("o")]),
                    .notifications(worker: "v", [.schedule(schedule)]),
                    .notifications(worker: "v", [.schedule(schedule)]),
                    .notifications(worker: "x", [.schedule(schedule)]),
                    .notifications(worker: "x", [.cancel(4)]),
                ]))
            let own = try first.notifications()
            first.close()
            let second = store(path + "/db")
            let notifications = try second.notifications()
            second.close()
            #expect(notifications["w"]?.notifications.map(\.sequence) == [2])
            #expect(notifications["w"]?.notifications.first?.payload == Array("{}".utf8))
            #expect(notifications["w"]?.notifications.first?.added == "[\"a\"]")
            #expect(notifications["w"]?.known == ["n": nil, "m": "{}"])
            #expect(notifications["v"]?.schedules == [schedule])
            #expect(notifications["x"] == nil)
            #expect(own.isEmpty || own == notifications, "what is asked may be written, or not yet")
        }
    }

    @Test func `is set aside as it was left, with the deaths that are its reason`() throws {
        try withTemporaryDirectory { path throws in
            let poison = StoredNotification(
                sequence: 1, topic: "t", rule: "each", count: 1, first: 1, last: 1, deaths: 2,
                isSetAside: true)
            let first = store(path + "/db")
            first.write(Batch([.notifications(worker: "w", [.put(poison)]), put(2)]))
            first.close()
            let second = store(path + "/db")
            #expect(try second.notifications()["w"]?.notifications.map(\.isSetAside) == [true, false])
            #expect(try second.notifications()["w"]?.notifications.first == poison)
            second.close()
        }
    }

    @Test func `never gives a number out again that was kept`() throws {
        try withTemporaryDirectory { path throws in
            let first = store(path + "/db")
            first.write(Batch([put(41)]))
            first.close()
            let second = store(path + "/db")
            second.write(Batch([.notifications(worker: "w", [.delete(41)])]))
            second.close()
            let third = store(path + "/db")
            #expect(try third.notifications()["w"]?.lastSequence == 41)
            third.close()
        }
    }

    @Test func `waits in memory in about as much room as there are things, however often those change`() {
        var backlog = NotificationBacklog()
        for count in 0..<200_000 {
            let change = NotificationChange.put(
                StoredNotification(
                    sequence: UInt64(count % 3), topic: "t", rule: "count", count: Int64(count), first: 0,
                    last: 0))
            backlog.append([change], of: count.isMultiple(of: 2) ? "w" : "v")
            #expect(backlog.count <= 20_000)
        }
        var later = NotificationBacklog()
        later.append([.delete(1), .delete(7)], of: "w")
        backlog.absorb(later)
        backlog.keepLastOfEach()
        #expect(backlog.count == 7)
        let own = backlog.portions.filter { $0.worker == "w" }.flatMap(\.changes)
        #expect(own.contains(.delete(1)) && own.contains(.delete(7)))
        #expect(own.map(\.key).contains(.notification(2)) && own.count == 4)
    }
}
