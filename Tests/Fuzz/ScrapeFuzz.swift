// The fuzz target for what clients of the metrics send, and for the names that end up in the text.

import Lifecycle
import Metering

private let version = Array("HTTP/1.1 ".utf8)
private let beginnings = ["# ", "torpor_", "process_"].map { Array($0.utf8) }

/// One input: the head of a request, however much of it has come, and a worker's name.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzScrape(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let request = ScrapeRequest(bytes)
    let response = request.response { _ in [0x2e] }
    precondition((response == nil) == (request == .incomplete))
    if let response { precondition(response.starts(with: version)) }
    // What has been decided by a part is decided.
    if case .metrics = request { precondition(ScrapeRequest(bytes + [0x41]) == request) }

    let name = String(decoding: bytes.prefix(200), as: UTF8.self)
    var meters = WorkerMeters(since: .zero)
    meters.woken(by: .socket)
    let snapshot = MetricsSnapshot(
        version: "1", now: .zero, workers: [.init(name: name, meters: meters)], callbacks: [:],
        cost: .init(cpu: 0, startedAt: 0))
    let text = MetricsText(snapshot).ended(with: MetricsSnapshot.Readings(workers: 1))
    for line in text.split(separator: 0x0a) {
        // Each line is a comment or a sample: no name makes one of its own.
        let begins = beginnings.contains { line.starts(with: $0) }
        precondition(begins)
    }
    return 0
}
