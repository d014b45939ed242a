internal import ConfigurationSyntax
internal import Lifecycle
internal import Linux
internal import Notifications
internal import SupervisorPorts

extension WorkerConfiguration {
    /// Passes on what the worker has slept through, unless its options do something else with it.
    func takeSignals() {
        let hooks: [SystemTopic: Hook] = [
            .signalReceived: Hook(.signals([]), completes: .immediately),
            .screenChanged: Hook(.signals([.windowChange]), completes: .immediately),
        ]
        for (topic, hook) in hooks where notificationHooks[topic.rawValue] == nil {
            notificationHooks[topic.rawValue] = hook
        }
    }
}
