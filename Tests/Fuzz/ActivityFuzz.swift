// The fuzz target for what workers say of their activities, one module with the source that reads it.

import ConfigurationSyntax
import Continuing
import Lifecycle
import Varlink

/// One input: the output of a hook that tells a state, and the value of `X_TORPOR_USER_ACTIVITY=`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzActivity(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let state = ActivityState.read(bytes) {
        precondition(bytes.count <= ActivityState.largest, "too long, and read")
        if let text = ActivityState.text(of: state) {
            precondition(ActivityState.object(of: text) == state, "not read as it was written")
        }
    }
    guard let notice = ActivityNotice(String(decoding: bytes, as: UTF8.self)) else { return 0 }
    var plan = GivingPlan()
    for round in 0..<100 { _ = plan.handle(notice.event, at: Instant(microseconds: Int64(round))) }
    precondition(plan.offers.count <= 1, "offered twice")
    precondition(plan.offers.allSatisfy { $0.size <= GivingPlan.largest }, "larger than is allowed")
    return 0
}
