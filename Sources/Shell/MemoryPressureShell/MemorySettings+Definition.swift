package import ConfigurationSyntax
internal import Pressure
internal import SupervisorPorts
package import WorkerFile

extension MemorySettings {
    /// What a definition says, its shares counted of this machine's memory.
    package init(_ definition: WorkerDefinition) {
        self.init()
        maximum = Self.bytes(definition.memory.max)
        high = Self.bytes(definition.memoryHigh(inForeground: true))
        backgroundHigh = Self.bytes(definition.memoryHigh(inForeground: false))
        reclaimsOnSuspend = definition.memory.reclaimsOnSuspend
        threshold = definition.memory.pressureThreshold.stall
        watch =
            switch definition.memory.pressureWatch {
            case .auto: .auto
            case .on: .on
            case .off: .off
            case .skip: .skip
            }
    }

    /// A limit in bytes, a share counted of the memory that the supervisor's groups can have; nil is none.
    package static func bytes(_ limit: MemoryLimit) -> Int64? {
        switch limit {
        case .infinity: return nil
        case .bytes(let size): return Int64(clamping: size.bytes)
        case .share:
            // A share of an unknown total is no limit.
            guard let total = MachineMemory.totalForUs else { return nil }
            return limit.bytes(ofMemory: UInt64(total)).map(Int64.init(clamping:))
        }
    }
}
