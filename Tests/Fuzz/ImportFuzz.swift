// The fuzz target for the files of other supervisors.

import ConfigurationSyntax
import Importing
import Lifecycle
import WorkerFile

/// The files of one input: the main one, and one that it may include, read as variables, or find beside it.
private struct Files: FileSource {
    let files: [String: [UInt8]]

    func names(in directory: String) throws(FileSourceError) -> [String] {
        files.keys.filter { $0.hasPrefix(directory + "/") }.compactMap {
            $0.dropFirst(directory.count + 1).split(separator: "/").first.map(String.init)
        }
    }

    func kind(of path: String) throws(FileSourceError) -> FileKind? {
        if files[path] != nil { return .file }
        return files.keys.contains { $0.hasPrefix(path + "/") } ? .directory : nil
    }

    func read(_ path: String, limit: Int) throws(FileSourceError) -> [UInt8] {
        guard let file = files[path], file.count <= limit else {
            throw FileSourceError(path: path, reason: "no such file")
        }
        return file
    }
}

/// One input: its first byte chooses the format, and a byte 0xff divides the main file from a second one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzImport(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let formats = ImportFormat.allCases
    let format = formats[Int(bytes.first ?? 0) % formats.count]
    let parts = bytes.dropFirst().split(separator: 0xff, maxSplits: 1, omittingEmptySubsequences: false).map(
        Array.init)
    let (main, second) = (parts.first ?? [], parts.count > 1 ? parts[1] : [])
    let files: [String: [UInt8]]
    var path = "/f/main"
    switch format {
    case .supervisord: files = ["/f/main": main, "/f/conf.d/x.conf": second]
    case .procfile, .compose: files = ["/f/main": main, "/f/.env": second]
    case .systemd:
        path = "/f/web@1.service"
        files = ["/f/web@.service": main, "/f/web@1.service.d/x.conf": second, "/f/web@1.socket": second]
    case .s6, .runit:
        path = "/f/sv"
        files = [
            "/f/sv/web/run": main, "/f/sv/web/type": second, "/f/sv/web/timeout-kill": second,
            "/f/sv/web/down-signal": second,
            "/f/sv/db/run": second, "/f/sv/db/dependencies": main,
        ]
    }
    let context = ImportContext(
        environment: ["HOME": "/home/%h $x"], hostName: "h", isSystem: bytes.count.isMultiple(of: 2))
    let plan = Importer(source: Files(files: files), context: context).plan(for: [path], as: format)
    precondition(plan.problems.isEmpty || plan.workers.isEmpty)
    for text in plan.problems.map(\.description) + plan.notes.map(\.description) {
        precondition(!text.utf8.contains { $0 < 0x20 }, "a broken line")
    }
    precondition(Set(plan.workers.map(\.name)).count == plan.workers.count, "a name twice")
    for worker in plan.workers { check(worker) }
    return 0
}

/// The daemon reads the file without a warning.
private func check(_ worker: ImportedWorker) {
    var place = SpecifierContext.Place()
    (place.home, place.shell, place.user, place.group, place.uid, place.gid) = ("/h", "/s", "u", "g", 1, 1)
    (place.hostName, place.machineID, place.bootID, place.kernelRelease, place.architecture) = (
        "h", "m", "b", "v", "a"
    )
    let context = SpecifierContext(worker: worker.name, place: place, markers: [UInt8(ascii: "u")])
    let file = ConfigurationFile(
        path: "fuzz", bytes: Array(worker.text.utf8), sections: Set(WorkerDefinition.sections))
    let reading = DefinitionReading<WorkerDefinition>([file], named: "fuzz", context: context)
    precondition(reading.definition != nil, "a worker file that is not read: \(worker.text)")
    precondition(
        reading.diagnostics.allSatisfy { $0.severity == .advice },
        "a worker file with a warning: \(worker.text)")
}
