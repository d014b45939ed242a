internal import ConfigurationSyntax
internal import WorkerFile

/// Lines of a Procfile.
enum ProcfileText {
    /// The process type and the command of `NAME: COMMAND`; nil where the line is none.
    static func entry(_ line: String) -> (name: String, command: String)? {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = line.utf8[..<colon]
        let command = String(line[line.utf8.index(after: colon)...]).trimmed
        guard !name.isEmpty, name.allSatisfy({ $0.isWord || $0 == .dash }), !command.isEmpty else {
            return nil
        }
        return (String(decoding: name, as: UTF8.self), command)
    }
}

/// Workers of a Procfile as foreman and honcho start them: each command by a shell, in the directory of the file, with the variables of
/// the `.env` beside it and a `PORT` that grows by 100 from one process type to the next.
struct ProcfileImport {
    private let files: ForeignFiles
    private(set) var drafts: [WorkerDraft] = []
    private(set) var notes: [ImportNote] = []

    init(_ files: ForeignFiles) { self.files = files }

    /// Reads the file at `path`, an absolute one.
    mutating func read(_ path: String) throws(ImportFailure) {
        let directory = ForeignText.split(path).directory
        var entries: [(name: String, command: String, source: ForeignLine)] = []
        var names: Set<String> = []
        for (index, line) in ForeignText.lines(try files.text(of: path)).enumerated() {
            let source = ForeignLine(file: path, line: index + 1, text: line)
            guard let (name, command) = ProcfileText.entry(line) else {
                let text = line.trimmed
                if !text.isEmpty, text.utf8.first != UInt8(ascii: "#") {
                    notes.append(ImportNote(source, "the line is not of the form NAME: COMMAND"))
                }
                continue
            }
            guard names.insert(name).inserted else {
                throw ImportFailure(path, index + 1, "a second process type \(name.quoted)")
            }
            entries.append((name, command, source))
        }
        guard !entries.isEmpty else { throw ImportFailure(path, 0, "no process type", "lines NAME: COMMAND") }
        let environment = try readEnvironment(ForeignText.path(".env", in: directory))
        var port =
            environment.variables.last { $0.name == "PORT" }.flatMap { ForeignText.integer($0.value) } ?? 5000
        for entry in entries {
            var draft = WorkerDraft(
                id: "\(path):\(entry.name)", name: entry.name, origin: "“\(entry.name)” in \(path)")
            draft.set(
                "ExecStart", WrittenValue.command(["/bin/sh", "-c", entry.command]), from: entry.source)
            draft.set("WorkingDirectory", WrittenValue.plain(directory), from: entry.source)
            draft.set("Launch", "boot", from: entry.source)
            draft.set("TimeoutStopSec", "5s", from: entry.source)
            environment.write(into: &draft, overridden: ["PORT": "\(port)"], from: entry.source)
            drafts.append(draft)
            port += 100
        }
        notes.append(ImportNote(ForeignLine(file: path), ForeignText.inheritance("foreman")))
        notes.append(
            ImportNote(
                ForeignLine(file: path),
                "foreman ends all processes when one of them ends; each worker ends by itself"))
    }

    private mutating func readEnvironment(_ path: String) throws(ImportFailure) -> VariableFile {
        do throws(FileSourceError) {
            let kind = try files.kind(of: path)
            if kind == nil || kind == .null { return VariableFile() }
        } catch { throw ImportFailure(error) }
        var file = VariableFile(path: path)
        let text = try files.text(of: path)
        for (index, line) in ForeignText.lines(text).enumerated() {
            let source = ForeignLine(file: path, line: index + 1, text: "…")
            let tokens: [String]
            do throws(ForeignTextError) { tokens = try ShellWords.split(line, .tokens) } catch {
                throw ImportFailure(path, index + 1, "an unterminated quote or escape")
            }
            guard !tokens.isEmpty else { continue }
            guard tokens.count > 1, tokens[1] == "=", (try? VariableName(parsing: tokens[0])) != nil else {
                notes.append(ImportNote(source, "the line is not of the form NAME=VALUE"))
                continue
            }
            // `NAME=` alone sets nothing, as with honcho.
            let value = tokens.count > 2 ? Self.unescaped(tokens[2...].joined()) : nil
            if let other = Self.foremanValue(of: line), value.map({ !$0.isExactly(other) }) ?? true {
                notes.append(
                    ImportNote(
                        source,
                        "honcho and foreman read this line differently; it is taken over as honcho reads it"))
            }
            if let value { file.add(tokens[0], value) }
        }
        file.compare(with: text)
        return file
    }

    /// The value of a line as foreman reads it: whole, but for quotes around it; nil where it is none of its lines.
    private static func foremanValue(of line: String) -> String? {
        guard let mark = line.utf8.firstIndex(of: UInt8(ascii: "=")), mark != line.startIndex,
            line.utf8[..<mark].allSatisfy(\.isWord)
        else { return nil }
        let value = Array(line.utf8[line.utf8.index(after: mark)...])
        guard value.count > 1, let quote = value.first, quote == value.last,
            quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"")
        else { return String(decoding: value, as: UTF8.self) }
        let inner = value.dropFirst().dropLast()
        guard quote == UInt8(ascii: "\"") else { return String(decoding: inner, as: UTF8.self) }
        var (result, isEscaped) = ([UInt8](), false)
        for byte in inner {
            if isEscaped {
                result.append(byte == UInt8(ascii: "n") ? .newline : byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// `\n` and `\t` in a value that is read already.
    private static func unescaped(_ value: String) -> String {
        guard value.utf8.contains(UInt8(ascii: "\\")) else { return value }
        let bytes = Array(value.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count,
                bytes[index + 1] == UInt8(ascii: "n") || bytes[index + 1] == UInt8(ascii: "t")
            {
                result.append(bytes[index + 1] == UInt8(ascii: "n") ? .newline : 0x09)
                index += 2
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
