// The fuzz target for what the kernel tells of memory.
import Lifecycle
import Pressure

/// One input: a text that may be any of the kernel's files, whose figures make sense if there are any.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPressure(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    if let stall = PressureStall(parsing: text) {
        for kind in PressureTrigger.Kind.allCases {
            precondition(stall[kind].average10.isFinite && stall[kind].average10 >= 0, "no percentage")
            precondition(stall[kind].total >= .zero, "less than no time")
        }
    }
    if let events = MemoryEvents(parsing: text) {
        precondition(events.since(events) == MemoryEvents(), "nothing happened")
        precondition(events.since(MemoryEvents()) == events, "all happened")
    }
    if let memory = MachineMemory(parsing: text) {
        precondition(0...memory.total ~= memory.available, "more than there is")
        precondition(0...memory.swapTotal ~= memory.swapUsed, "more swap than there is")
        precondition(0...100 ~= memory.availablePercent, "no percentage")
    }
    if let group = GroupMemory(limit: text, usage: text, stat: text) {
        precondition(0...group.limit ~= group.available, "more than it may have")
        let machine = MachineMemory(total: 1 << 30, available: 1 << 29).within([group])
        precondition(0...machine.total ~= machine.available && machine.total <= 1 << 30, "more than there is")
    }
    for memory in [WorkerMemory(status: text), WorkerMemory(rollup: text)] {
        precondition(memory.map { $0.resident >= 0 && $0.swapped >= 0 } ?? true, "less than nothing")
    }
    let swap = SwapAreas(parsing: text)
    precondition(0...100 ~= swap.compressedPercent, "no percentage")
    if let trigger = PressureTrigger(parsing: text) {
        precondition(PressureTrigger(parsing: trigger.text) == trigger, "written otherwise than read")
    }
    return 0
}
