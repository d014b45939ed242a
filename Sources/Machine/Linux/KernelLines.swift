extension String {
    /// The lines that have anything in them, cut byte by byte: to the kernel a character is one.
    package var lines: [Substring] { utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) } }
}
