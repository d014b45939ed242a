import Foundation
import TestSupport
import Testing

/// What the folders of `Sources` promise: five floors, arrows that only go down, and modules that are small enough to be read.
@Suite struct `The house` {
    /// From the bottom up: a floor knows those before it.
    private static let floors = ["Model", "Machine", "Shell", "Clients", "Programs"]
    /// How many lines a module may have, without those that are generated.
    private static let most = 4500
    /// Modules that are to be divided still, and the lines that they have at most until then.
    private static let undivided = [
        "Supervisor": 4800, "Lifecycle": 4600,
    ]
    /// What other packages depend on, and so has public declarations; all others have `package`.
    private static let products = [
        "Instants", "Lifecycle", "SnapshotCoding", "Varlink", "ControlAPI", "TorporWorker",
        "TorporWorkerTesting", "TorporServiceLifecycle",
    ]

    private struct Module {
        let name: String
        let floor: Int
        let path: String
        var imports: Set<String> = []
        var lines = 0
        var publicLines: [String] = []
    }

    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources").path

    private func modules() throws -> [String: Module] {
        var modules: [String: Module] = [:]
        for (rank, floor) in Self.floors.enumerated() {
            for name in try FileManager.default.contentsOfDirectory(atPath: "\(Self.sources)/\(floor)") {
                var module = Module(name: name, floor: rank, path: "Sources/\(floor)/\(name)")
                try read(&module)
                modules[name] = module
            }
        }
        return modules
    }

    private func read(_ module: inout Module) throws {
        let root = "\(Self.sources)/../\(module.path)"
        let files = try #require(FileManager.default.enumerator(atPath: root))
        for case let file as String in files where file.hasSuffix(".swift") {
            let text = try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
            if !file.hasPrefix("Generated/") { module.lines += text.utf8.count { $0 == UInt8(ascii: "\n") } }
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ")
                if let index = words.firstIndex(of: "import"), index + 1 < words.count, line.first != " ",
                    !line.hasPrefix("//")
                {
                    module.imports.insert(String(words[index + 1]))
                } else if words.first == "public" {
                    module.publicLines.append("\(module.path)/\(file): \(line)")
                }
            }
        }
    }

    @Test func `has five floors, and nothing beside them`() throws {
        let found = try FileManager.default.contentsOfDirectory(atPath: Self.sources)
        #expect(Set(found) == Set(Self.floors))
    }

    @Test func `has imports that go down, or to a neighbour without a circle`() throws {
        let modules = try modules()
        for module in modules.values {
            for name in module.imports {
                guard let other = modules[name] else { continue }
                #expect(
                    other.floor <= module.floor, "\(module.path) imports \(other.path), which is above it")
                #expect(other.name != module.name, "\(module.path) imports itself")
            }
        }
        // Modules that import only what is left out already, again and again: what stays is a circle.
        var left = modules
        while let next = left.values.first(where: { $0.imports.allSatisfy { left[$0] == nil } }) {
            left[next.name] = nil
        }
        #expect(left.isEmpty, "a circle among \(left.keys.sorted())")
    }

    @Test(arguments: [
        ("ControlClient", ["CSQLite", "CSystemd", "Systemd", "Store", "Supervisor", "DaemonCore"]),
        ("Operator", ["CSQLite", "CSystemd", "Systemd", "Store", "Supervisor", "DaemonCore", "Linux"]),
        ("torpor", ["CSQLite", "Store", "DaemonCore"]),
    ])
    func `has clients without the daemon and its libraries`(_ client: String, _ foreign: [String]) throws {
        let modules = try modules()
        var reached: Set<String> = []
        var left = [client]
        while let name = left.popLast() {
            guard reached.insert(name).inserted else { continue }
            left += modules[name]?.imports ?? []
        }
        #expect(reached.contains("ControlAPI"))
        #expect(reached.isDisjoint(with: foreign), "\(reached.intersection(foreign).sorted())")
    }

    @Test func `has a model that knows neither files nor clocks nor processes`() throws {
        let model = try modules().values.filter { $0.floor == 0 }
        let own = Set(model.map(\.name))
        for module in model {
            #expect(module.imports.subtracting(own).isEmpty, "\(module.path): \(module.imports.sorted())")
        }
    }

    @Test func `has modules that can be read in an afternoon`() throws {
        for module in try modules().values {
            let most = Self.undivided[module.name] ?? Self.most
            #expect(module.lines <= most, "\(module.path) has \(module.lines) lines")
        }
    }

    @Test func `shows strangers the products alone`() throws {
        for module in try modules().values where !Self.products.contains(module.name) {
            #expect(module.publicLines.isEmpty, "\(module.publicLines.first ?? "")")
        }
    }

    @Test func `has every module in its place in Package.swift`() throws {
        let manifest = try String(contentsOfFile: "\(Self.sources)/../Package.swift", encoding: .utf8)
        for module in try modules().values {
            #expect(manifest.contains("\"\(module.path)\""), "\(module.path) is not named")
        }
    }

    @Test(arguments: ["README.md", "CONTRIBUTING.md", "docs/security.md"])
    func `is where the documents say it is`(_ document: String) throws {
        let text = try String(contentsOfFile: "\(Self.sources)/../\(document)", encoding: .utf8)
        for path in text.split(separator: "`") where path.hasPrefix("Sources/") || path.hasPrefix("Tests/") {
            guard !path.contains(where: { " *{".contains($0) }) else { continue }
            #expect(
                FileManager.default.fileExists(atPath: "\(Self.sources)/../\(path)"), "\(document): \(path)")
        }
    }

    /// The rows `| `Module/File.swift` | `function`, … |` of the walks through the code.
    @Test func `has the functions that the walks name`() throws {
        let text = try String(contentsOfFile: "\(Self.sources)/../CONTRIBUTING.md", encoding: .utf8)
        let modules = try modules()
        var steps = 0
        for line in text.split(separator: "\n") where line.hasPrefix("| `") && line.contains(".swift` | `") {
            let cells = line.split(separator: "|")
            let path = cells[0].trimmingCharacters(in: .init(charactersIn: " `"))
            let module = try #require(modules[String(path.prefix { $0 != "/" })], "\(path)")
            let file = "\(Self.sources)/../\(module.path)" + path.dropFirst(module.name.count)
            let source = try String(contentsOfFile: file, encoding: .utf8)
            for function in cells[1].split(separator: ",") {
                let name = function.trimmingCharacters(in: .init(charactersIn: " `"))
                let isThere = ["(", "<"].contains { source.contains("func \(name)\($0)") }
                #expect(isThere, "\(path) has no \(name)")
                steps += 1
            }
        }
        #expect(steps > 30)
    }

    @Test func `has the files that the ten changes lead to`() throws {
        let text = try String(contentsOfFile: "\(Self.sources)/../CONTRIBUTING.md", encoding: .utf8)
        let floors = Self.floors.map { "\($0)/" }
        for path in text.split(separator: "`") where floors.contains(where: path.hasPrefix) {
            #expect(FileManager.default.fileExists(atPath: "\(Self.sources)/\(path)"), "\(path)")
        }
    }
}
