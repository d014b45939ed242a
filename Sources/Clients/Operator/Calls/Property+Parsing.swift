package import ControlAPI
internal import WorkerFile

extension SupervisorInterface.Property {
    /// Reads `Section.Key=Value`; the section may be left out of a key that only one section has.
    package init(parsing text: String) throws(Failure) {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals != text.startIndex else {
            throw Failure(
                .usage, "invalid property “\(text)”; expected Section.Key=Value, such as Memory.MemoryMax=1G")
        }
        let name = String(text[..<equals])
        let value = String(text[text.utf8.index(after: equals)...])
        if let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) {
            self.init(
                section: String(name[..<dot]), key: String(name[name.utf8.index(after: dot)...]), value: value
            )
            return
        }
        let sections = WorkerDefinition.directives.filter { $0.key == name }.map(\.section)
        guard let section = sections.first, sections.count == 1 else {
            let choice =
                sections.isEmpty ? "Section.\(name)" : enumeration(sections.map { "\($0).\(name)" }, "or")
            throw Failure(
                .usage, "“\(name)” is ambiguous without a section; expected \(choice)")
        }
        self.init(section: section, key: name, value: value)
    }
}
