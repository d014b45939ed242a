// The fuzz target for everything in WorkerFile that reads text.

import ConfigurationSyntax
import Lifecycle
import WorkerFile

private let context = SpecifierContext(worker: try? WorkerName("web@a-b"), markers: [UInt8(ascii: "u")])
private let sections = (worker: Set(WorkerDefinition.sections), daemon: Set(DaemonDefinition.sections))

/// One input: read as a worker file, a daemon's file, an environment file and, line by line, as every kind of value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWorkerFile(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    readFiles(bytes)
    guard let text = String(validating: bytes.filter { $0 != 0 }, as: UTF8.self) else { return 0 }
    readNames(text)
    readValues(text)
    return 0
}

/// Reads a file twice, and holds that the same bytes make the same definition.
private func readFiles(_ bytes: [UInt8]) {
    var readings: [WorkerDefinition?] = []
    for _ in 0..<2 {
        let file = ConfigurationFile(path: "fuzz", bytes: bytes, sections: sections.worker)
        let reading = DefinitionReading<WorkerDefinition>([file], named: "fuzz", context: context)
        precondition((reading.definition == nil) == reading.diagnostics.hasErrors)
        for diagnostic in reading.diagnostics {
            precondition(!diagnostic.problem.utf8.contains { $0 < 0x20 }, "a broken log line")
        }
        readings.append(reading.definition)
    }
    precondition(readings[0] == readings[1])
    if let worker = readings[0] {
        precondition(worker.changedKeys(from: worker).isEmpty)
        _ = worker.command?.argumentVector {
            $0
        } marker: { _ in
            "marker"
        }
    }
    let daemon = ConfigurationFile(path: "fuzz", bytes: bytes, sections: sections.daemon)
    _ = DefinitionReading<DaemonDefinition>([daemon], named: "fuzz", context: context)
    for variable in EnvironmentFile(path: "fuzz", bytes: bytes).variables {
        precondition(!variable.description.utf8.contains(0))
    }
    _ = [SourceFile(path: "fuzz", bytes: bytes)].catalogue
}

/// Names that are taken are those of one file, and escapes come back as they went.
private func readNames(_ text: String) {
    if let name = try? WorkerName(text) {
        precondition(name.fileName.utf8.count <= 255 && name.groupName.utf8.count <= 255)
        precondition(!name.fileName.utf8.contains(UInt8(ascii: "/")))
        precondition((try? WorkerName(name.fileName)) == name)
    }
    precondition((try? Escaping.unescape(Escaping.escape(text))) == text)
    _ = try? Escaping.escape(path: text)
}

/// Every directive on the whole text, and what is written must be read back.
private func readValues(_ text: String) {
    _ = try? Command(parsing: text, in: context).argumentVector(variable: { $0 })
    _ = try? CallbackAction(parsing: text, in: context)
    _ = try? PathGlob(parsing: text).matches(text)
    _ = try? ListenAddress(parsing: text)
    _ = try? MemoryLimit(parsing: text)
    _ = try? CPULimit(parsing: text)
    _ = try? Share(parsing: text).of(.max)
    if let span = try? TimeSpan(parsing: text) {
        precondition((try? TimeSpan(parsing: span.written())) == span)
    }
    if let size = try? ByteSize(parsing: text) { _ = size.written }
    if let signal = try? SignalNumber(parsing: text) {
        precondition((try? SignalNumber(parsing: signal.name)) == signal)
    }
    for resource in ResourceLimit.Resource.allCases { _ = try? ResourceLimit(parsing: text, for: resource) }
    let lines = text.split(separator: "\n", maxSplits: 1).map(String.init)
    if let first = lines.first, let pattern = try? OutputPattern(parsing: first) {
        let line = lines.last ?? ""
        var search = pattern.search
        for scalar in line.unicodeScalars { search.take(scalar) }
        precondition(
            search.occurs(atEnd: true) == pattern.matches(line), "piece by piece it is another answer")
        _ = pattern.redact(line)
        var steps = 1000
        _ = pattern.redact(line, steps: &steps)
    }
}
