import ControlAPI
import Lifecycle
import Notifications
import Pressure
import Records
import Testing
import WorkerFile

@testable import OperatorService

/// An enumeration of the model and that of an interface which has the same values.
private struct Pair: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let model: [String]
    let interface: [String]

    init<Model: RawRepresentable<String> & CaseIterable, Own: RawRepresentable<String> & CaseIterable>(
        _ model: Model.Type, _ interface: Own.Type, more: [String] = []
    ) {
        testDescription = "\(Own.self)"
        self.model = (Model.allCases.map(\.rawValue) + more).sorted()
        self.interface = Own.allCases.map(\.rawValue).sorted()
    }

    static let all = [
        Pair(Callback.self, WorkerInterface.CallbackName.self),
        Pair(State.self, SupervisorInterface.State.self),
        Pair(Goal.self, SupervisorInterface.Goal.self),
        Pair(RestReason.self, SupervisorInterface.NotRunningReason.self, more: ["badSetting"]),
        Pair(Lifecycle.LaunchReason.self, SupervisorInterface.LaunchReason.self),
        Pair(Lifecycle.HoldEnd.self, SupervisorInterface.HoldEnd.self),
        Pair(PressureLevel.self, SupervisorInterface.PressureLevel.self),
        Pair(PressureLevel.self, WorkerInterface.MemoryLevel.self),
        Pair(MergeRule.self, SupervisorInterface.MergeRule.self),
        Pair(LogLevel.self, SupervisorInterface.LogLevel.self),
        Pair(HistoryEntry.Kind.self, SupervisorInterface.HistoryKind.self),
    ]
}

@Suite struct `The interfaces` {
    @Test(arguments: Pair.all) private func `name every value as the model does`(_ pair: Pair) {
        #expect(pair.interface == pair.model)
    }

    @Test(arguments: Callback.allCases) func `name a callback as the model does`(_ callback: Callback) {
        let name = WorkerInterface.CallbackName(callback)
        #expect(name.rawValue == callback.rawValue)
        #expect(CallbackSet([name]) == CallbackSet([callback]))
    }

    @Test func `attach to every callback without names`() {
        #expect(CallbackSet(nil as [WorkerInterface.CallbackName]?) == .all)
        #expect(CallbackSet([] as [WorkerInterface.CallbackName]?) == [])
    }

    @Test(arguments: Lifecycle.LaunchReason.allCases)
    func `name a launch reason as the model does`(_ reason: Lifecycle.LaunchReason) {
        #expect(SupervisorInterface.LaunchReason(reason).rawValue == reason.rawValue)
    }
}
