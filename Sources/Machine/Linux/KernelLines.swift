extension StringProtocol where SubSequence == Substring {
    /// The lines that have anything in them, cut byte by byte: to the kernel a character is one.
    package var lines: [Substring] { fields(at: "\n") }

    /// What stands between the bytes that are `separator`, which is ASCII; without what is empty, unless `keepingEmpty`.
    package func fields(at separator: Unicode.Scalar, keepingEmpty: Bool = false) -> [Substring] {
        self[...].utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: !keepingEmpty)
            .map(Substring.init)
    }
}
