import Foundation
import Varlink

/// Writes the Swift types of the interfaces in a folder: for each `….varlink` a file in the folder `Generated`.
///
/// `make generate` calls it.
@main
package struct InterfaceGenerator {
    package static func main() {
        guard CommandLine.arguments.count == 2 else {
            print("usage: InterfaceGenerator FOLDER")
            exit(64)
        }
        let folder = CommandLine.arguments[1]
        do {
            let sources = try sources(in: folder)
            let output = folder + "/Generated"
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            for name in try FileManager.default.contentsOfDirectory(atPath: output)
            where sources[name] == nil {
                try FileManager.default.removeItem(atPath: "\(output)/\(name)")
            }
            for (name, text) in sources {
                try text.write(toFile: "\(output)/\(name)", atomically: true, encoding: .utf8)
            }
        } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    /// The names and texts of the files for the interfaces in `folder`.
    package static func sources(in folder: String) throws -> [String: String] {
        var sources: [InterfaceSource] = []
        var texts: [String: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        where file.hasSuffix(".varlink") {
            let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            do {
                let source = InterfaceSource(try InterfaceDefinition(description: text), after: sources)
                texts[source.name + ".swift"] = try source.text()
                sources.append(source)
            } catch {
                throw InterfaceSource.Fault(description: "\(file): \(error)")
            }
        }
        return texts
    }
}
