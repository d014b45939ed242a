internal import ConfigurationSyntax

/// Sections and options as Python's RawConfigParser reads them for supervisord: values go on in indented lines, names of options are in
/// lower case, a `;` or `#` behind a blank begins a comment, and of two options of one name the later one counts.
struct IniFile {
    struct Option {
        let name: String
        var value: String
        /// The line as it is written.
        let source: ForeignLine
        /// The directory of the file that it stands in, for `%(here)s`.
        let here: String
    }

    struct Section {
        let name: String
        let source: ForeignLine
        private(set) var options: [Option] = []
        private var places: [String: Int] = [:]

        init(name: String, source: ForeignLine) {
            self.name = name
            self.source = source
        }

        /// What stands behind the colon of `program:NAME`, trimmed.
        var label: String {
            String(name.drop { $0 != ":" }.dropFirst()).trimmed
        }

        subscript(_ name: String) -> Option? { places[name].map { options[$0] } }

        fileprivate mutating func set(_ option: Option) {
            if let place = places[option.name] {
                options[place] = option
            } else {
                places[option.name] = options.count
                options.append(option)
            }
        }

        fileprivate mutating func append(_ line: String, to name: String) {
            guard let place = places[name] else { return }
            options[place].value += "\n" + line
        }
    }

    private(set) var sections: [Section] = []
    private var places: [String: Int] = [:]

    subscript(_ name: String) -> Section? { places[name].map { sections[$0] } }

    /// Adds what is in `text`, the content of the file at `path`, to what was read before.
    mutating func read(_ text: String, path: String) throws(ImportFailure) {
        let here = ForeignText.split(path).directory
        var section: Int?
        var option: String?
        var indentation = 0
        // Empty lines are part of a value where more of it follows.
        var pending = 0
        var number = 0
        for line in ForeignText.lines(text) {
            number += 1
            let (content, hasComment) = Self.withoutComment(line)
            if content.isEmpty {
                if !hasComment { pending += 1 }
                continue
            }
            let column = line.utf8.prefix(while: \.isBlank).count
            if let section, let option, column > indentation {
                sections[section].append(String(repeating: "\n", count: pending) + content, to: option)
                pending = 0
                continue
            }
            pending = 0
            indentation = column
            option = nil
            let source = ForeignLine(file: path, line: number, text: content)
            if content.utf8.first == UInt8(ascii: "["),
                let end = content.utf8.lastIndex(of: UInt8(ascii: "]"))
            {
                let name = String(content[content.utf8.index(after: content.startIndex)..<end])
                guard !name.isEmpty else { throw ImportFailure(path, number, "a section without a name") }
                section = place(of: name, source)
                continue
            }
            guard let current = section else {
                throw ImportFailure(path, number, "\(content.quoted) stands in no section", "[SECTION] first")
            }
            guard
                let mark = content.utf8.firstIndex(where: {
                    $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":")
                }),
                mark != content.startIndex
            else { throw ImportFailure(path, number, "\(content.quoted) is no option", "NAME=VALUE") }
            let name = String(content[..<mark]).trimmed.lowercased()
            let value = String(content[content.utf8.index(after: mark)...]).trimmed
            sections[current].set(Option(name: name, value: value, source: source, here: here))
            option = name
        }
    }

    private mutating func place(of name: String, _ source: ForeignLine) -> Int {
        if let place = places[name] { return place }
        places[name] = sections.count
        sections.append(Section(name: name, source: source))
        return sections.count - 1
    }

    /// The line without its comment and without blanks at its ends.
    private static func withoutComment(_ line: String) -> (String, Bool) {
        var previous: UInt8 = 0x20
        var index = line.utf8.startIndex
        while index != line.utf8.endIndex {
            let byte = line.utf8[index]
            if byte == UInt8(ascii: ";") || byte == UInt8(ascii: "#"), previous.isBlank {
                return (String(line[..<index]).trimmed, true)
            }
            previous = byte
            index = line.utf8.index(after: index)
        }
        return (line.trimmed, false)
    }
}
