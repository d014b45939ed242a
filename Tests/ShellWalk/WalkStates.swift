import HostContract
import Lifecycle
import SupervisorPorts

/// Saved state, on the same machine: kept after a while, or not.
final class WalkStates {
    private(set) var kept: [String: [UInt8]] = [:]
    private var handed: [String: [UInt8]] = [:]
    let machine: FakeHost
    var delay: () -> TimeSpan = { .zero }
    var fails: () -> Bool = { false }

    init(_ machine: FakeHost) { self.machine = machine }

    var names: Set<String> { Set(kept.keys) }

    fileprivate func save(_ bytes: [UInt8], for worker: String) { kept[worker] = bytes }
    fileprivate func forget(_ worker: String) { kept[worker] = nil }
    fileprivate func hand(to worker: String) -> Bool {
        handed[worker] = kept[worker]
        return handed[worker] != nil
    }
    fileprivate func takeBack(from worker: String) { handed[worker] = nil }
    fileprivate func handed(to worker: String) -> [UInt8]? { handed[worker] ?? kept[worker] }
}

/// Saved state as one supervisor sees it.
final class StatesPort: StateStore {
    private let states: WalkStates
    private let port: SupervisorPort

    init(_ states: WalkStates, _ port: SupervisorPort) {
        self.states = states
        self.port = port
    }

    private func later(_ body: @escaping () -> Void) {
        let port = port
        states.machine.schedule(at: states.machine.now + states.delay()) { if !port.isCut { port.act(body) } }
    }

    func save(
        _ bytes: [UInt8], for worker: String, owner: StateOwner?, version: String?,
        then answer: @escaping (String?) -> Void
    ) {
        later { [states] in
            if states.fails() { return answer("no space is left on the device") }
            states.save(bytes, for: worker)
            answer(nil)
        }
    }

    func forget(_ worker: String, then answer: @escaping (String?) -> Void) {
        later { [states] in
            states.forget(worker)
            answer(nil)
        }
    }

    func hand(to worker: String) -> HandedState? {
        guard !port.isCut, states.hand(to: worker) else { return nil }
        return HandedState(file: "/state/\(worker)", versionFile: "/state/\(worker).version")
    }

    func takeBack(from worker: String) { if !port.isCut { states.takeBack(from: worker) } }

    func load(_ worker: String, then answer: @escaping ([UInt8]?) -> Void) {
        later { [states] in answer(states.handed(to: worker)) }
    }

    func apply(_ fate: SavedStateFate, to worker: String) { if !port.isCut { states.forget(worker) } }
}
