import ControlAPI
import Varlink

extension MethodSample {
    private typealias Own = WorkerInterface

    private static var callback: Own.Callback {
        var callback = Own.Callback(id: 1, name: .didReceiveNotifications)
        callback.timeLimitUsec = 5_000_000
        callback.launch = launch
        callback.suspendedForUsec = 7
        callback.backgroundTimeRemainingUsec = 600_000_000
        callback.memoryLevel = .critical
        callback.memoryAvailableBytes = 1 << 30
        callback.url = "game:42"
        callback.activity = ["a": 1]
        callback.transfer = ["t": 1]
        callback.notifications = [
            .init(
                topic: "news", sequence: 2, count: 3, first: 4, last: 5, payload: ["p": 1], added: ["a"],
                removed: ["b"], dropped: 6), .init(topic: "news", sequence: 2, count: 1, first: 4, last: 5),
        ]
        callback.state = ["s": 1]
        return callback
    }

    private static let launch = Own.Launch(
        reason: .url, intoForeground: true, restoresState: true, options: ["url": "game:42"], restored: true)

    /// Every method of the worker's interface.
    static func ofTheWorker() throws -> [MethodSample] {
        let remaining: Int64 = 600_000_000
        return [
            try MethodSample(
                Own.Attach.self, [.init(callbacks: Own.CallbackName.allCases), .init()],
                [
                    .init(standing: .init(worker: "web", state: .background, launch: launch)),
                    .init(callback: callback), .init(callback: .init(id: 2, name: .performFetch)),
                ]),
            try MethodSample(
                Own.Complete.self,
                [.init(id: 1, refused: true, failure: "f", state: ["s": 1]), .init(id: 1)], [.init()]),
            try MethodSample(
                Own.BeginBackgroundTask.self, [.init(name: "upload")],
                [.init(token: 1, remainingUsec: remaining), .init(token: 1)]),
            try MethodSample(Own.EndBackgroundTask.self, [.init(token: 1)], [.init()]),
            try MethodSample(
                Own.BackgroundTimeRemaining.self, [.init()], [.init(remainingUsec: remaining), .init()]),
            try MethodSample(
                Own.GetState.self, [.init()],
                [
                    .init(state: .active, sinceUsec: 1),
                    .init(state: .background, sinceUsec: 1, backgroundTimeRemainingUsec: remaining),
                ]),
            try MethodSample(Own.SaveState.self, [.init(state: ["s": 1])], [.init()]),
            try MethodSample(
                Own.Post.self,
                [
                    .init(
                        topic: "t", payload: ["p": 1], rule: .set, added: ["x"], removed: ["y"],
                        transient: true), .init(topic: "t"),
                ], [.init(sequence: 1), .init()]),
            try MethodSample(
                Own.Schedule.self,
                [
                    .init(
                        topic: "t", at: 1, everyUsec: 2, payload: ["p": 1], rule: .count, wake: true),
                    .init(topic: "t", at: 1),
                ], [.init(id: 1)]),
            try MethodSample(Own.Cancel.self, [.init(id: 1)], [.init()]),
            try MethodSample(Own.RequestActivation.self, [.init()], [.init()]),
        ]
    }
}
