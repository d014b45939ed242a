internal import ConfigurationSyntax
package import ControlAPI
package import WorkerFile

/// The files that `torpor cat` shows, in the order in which they count.
package struct FilesOfWorker: Hashable, Sendable {
    package let files: [SourceFile]

    /// The files that the supervisor showed.
    package init(_ files: [SupervisorInterface.File]) {
        self.files = files.map { SourceFile(path: $0.path, bytes: Array($0.content.utf8)) }
    }

    /// The files of the worker called `text` in the directories of `loader`, where no supervisor is there to ask.
    package init<Source: FileSource>(
        _ text: String, in loader: WorkerLoader<Source>
    ) throws(Failure) {
        let name: WorkerName
        do throws(ValueError) { name = try WorkerName(text) } catch {
            throw Failure(.usage, error.description)
        }
        let found: WorkerLoader<Source>.Files
        do throws(FileSourceError) { found = try loader.files(for: name) } catch {
            throw Failure(.configuration, error.description)
        }
        switch found {
        case .files(let files): self.files = files
        case .masked(let path):
            throw Failure(
                .configuration, "\(name) is masked by \(path), which is empty or a link to /dev/null")
        case .missing:
            throw Failure(
                .noSuchWorker,
                "no supervisor is running, and there is no file \(name.fileName) in "
                    + enumeration(loader.directories.map { $0 + "/workers" }, "or"), isNoSuchWorker: true)
        }
    }

    /// The same as the supervisor's reply would be, for JSON.
    package var reply: SupervisorInterface.Cat.Reply {
        .init(files: files.map { .init(path: $0.path, content: String(decoding: $0.bytes, as: UTF8.self)) })
    }

    /// All of it: byte for byte, or with what could steer a terminal spelled out.
    package func rendered(forTerminal: Bool) -> [UInt8] {
        let catalogue = files.catalogue
        guard forTerminal else { return catalogue }
        return Array(String(decoding: catalogue, as: UTF8.self).printableLines.utf8)
    }
}
