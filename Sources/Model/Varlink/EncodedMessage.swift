/// A message in wire format, with its NUL; a change sent to many subscribers is encoded once.
public struct EncodedMessage: Hashable, Sendable {
    /// The text and its terminating NUL.
    public let bytes: [UInt8]
    /// Whether further replies to the same call follow.
    public let continues: Bool

    /// Creates a reply with `parameters`.
    public init(reply parameters: JSON.Object = [:], continues: Bool = false) {
        self.init(continues: continues) { parameters.write(into: &$0) }
    }

    /// Creates a reply whose parameters `write` appends, as the text of an object.
    package init(continues: Bool = false, writing write: (inout [UInt8]) -> Void) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(240)
        bytes.append(contentsOf: #"{"parameters":"#.utf8)
        write(&bytes)
        bytes.append(contentsOf: (continues ? #","continues":true}"# : "}").utf8)
        bytes.append(0)
        self.bytes = bytes
        self.continues = continues
    }

    /// Takes `bytes` for a last reply, which they must be as a whole, with the NUL at the end.
    package init(written bytes: [UInt8]) {
        self.bytes = bytes
        continues = false
    }

    /// Creates a reply with the fields of `value`.
    ///
    /// - Throws: ``JSON/Mismatch`` if `value` is no object.
    @_disfavoredOverload
    public init(reply value: some JSONConvertible, continues: Bool = false) throws(JSON.Mismatch) {
        guard case .object(let parameters) = value.asJSON else {
            throw JSON.Mismatch(path: "", expected: "an object")
        }
        self.init(reply: parameters, continues: continues)
    }

    /// Creates the reply to a failed call; `parameters` are always present, since some clients require them.
    public init(error: MethodError) {
        var bytes = Array(#"{"error":"#.utf8)
        JSON.write(string: error.name, into: &bytes)
        bytes.append(contentsOf: #","parameters":"#.utf8)
        error.parameters.write(into: &bytes)
        bytes.append(UInt8(ascii: "}"))
        bytes.append(0)
        self.bytes = bytes
        continues = false
    }

    /// Creates a call; fields with default values are omitted.
    init(call method: String, _ parameters: JSON.Object, _ mode: CallMode) {
        var bytes = Array(#"{"method":"#.utf8)
        JSON.write(string: method, into: &bytes)
        bytes.append(contentsOf: #","parameters":"#.utf8)
        parameters.write(into: &bytes)
        switch mode {
        case .once: break
        case .more: bytes.append(contentsOf: #","more":true"#.utf8)
        case .oneway: bytes.append(contentsOf: #","oneway":true"#.utf8)
        }
        bytes.append(UInt8(ascii: "}"))
        bytes.append(0)
        self.bytes = bytes
        continues = false
    }
}
