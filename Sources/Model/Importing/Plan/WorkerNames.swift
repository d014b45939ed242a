package import ConfigurationSyntax

/// Makes names of workers that are valid and differ from each other.
package struct WorkerNames {
    private var taken: Set<String> = []
    /// The next number for a name that is taken.
    private var numbers: [String: Int] = [:]

    /// No names yet.
    package init() {}

    /// The name nearest to `wanted`; with a number behind it where that is taken.
    ///
    /// An `@` stays only where `mayBeInstance` says so: the name is a template's or an instance's then.
    package mutating func name(for wanted: String, mayBeInstance: Bool = false) -> WorkerName? {
        var base = Self.cleaned(wanted, mayBeInstance)
        if WorkerName.fault(in: base) != nil { base = "worker-" + base.filter { $0 != "@" } }
        var name = base
        while taken.contains(name) {
            let number = numbers[base, default: 2]
            numbers[base] = number + 1
            // In front of the `@`, so that a template stays one.
            let parts = base.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            name = "\(parts[0])-\(number)" + (parts.count > 1 ? "@\(parts[1])" : "")
        }
        taken.insert(name)
        return try? WorkerName(name)
    }

    private static func cleaned(_ wanted: String, _ mayBeInstance: Bool) -> String {
        var bytes: [UInt8] = []
        var isInstance = false
        for byte in wanted.utf8.prefix(200) {
            switch byte {
            case _ where byte.isWord, UInt8.dash, UInt8.dot, UInt8(ascii: ":"): bytes.append(byte)
            case UInt8(ascii: "\\") where mayBeInstance: bytes.append(byte)
            case UInt8(ascii: "@") where mayBeInstance && !isInstance && !bytes.isEmpty:
                isInstance = true
                bytes.append(byte)
            default: bytes.append(UInt8(ascii: "_"))
            }
        }
        if bytes.isEmpty || bytes[0] == .dot { bytes.insert(UInt8(ascii: "_"), at: 0) }
        let name = String(decoding: bytes, as: UTF8.self)
        return name.hasSuffix(WorkerName.suffix) ? name + "_" : name
    }
}
