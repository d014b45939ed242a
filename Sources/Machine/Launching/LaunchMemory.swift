internal import Linux

/// The strings and pointer arrays of one launch, in the form execve(2) takes, freed all at once.
///
/// One block for all: the child shares it, and a launch allocates little.
@safe struct LaunchMemory: ~Copyable {
    typealias CString = UnsafeMutablePointer<CChar>
    typealias CArray = UnsafeMutablePointer<CString?>

    private let characters: CString
    private let pointers: CArray
    private let characterCapacity: Int
    private let pointerCapacity: Int
    private var characterCount = 0
    private var pointerCount = 0

    /// Room for `bytes` characters, terminators counted, and for `slots` pointers, nulls counted.
    init(bytes: Int, slots: Int) {
        characterCapacity = bytes
        pointerCapacity = slots
        unsafe characters = .allocate(capacity: bytes)
        unsafe pointers = .allocate(capacity: slots)
        unsafe characters.initialize(repeating: 0, count: bytes)
        unsafe pointers.initialize(repeating: nil, count: slots)
    }

    deinit {
        unsafe characters.deallocate()
        unsafe pointers.deallocate()
    }

    /// A copy of `bytes` with `room` zeroes and a terminator after it.
    @unsafe mutating func string(_ bytes: [UInt8], room: Int = 0) -> CString {
        let start = unsafe characters + characterCount
        characterCount += bytes.count + room + 1
        precondition(characterCount <= characterCapacity)
        for (index, byte) in bytes.enumerated() { unsafe start[index] = CChar(bitPattern: byte) }
        return unsafe start
    }

    /// An array of copies of `strings`, ended by a null pointer, with `spare` slots of null before that.
    @unsafe mutating func array(_ strings: [ByteString], spare: Int = 0) -> CArray {
        let start = unsafe pointers + pointerCount
        pointerCount += strings.count + spare + 1
        precondition(pointerCount <= pointerCapacity)
        for (index, string) in strings.enumerated() { unsafe start[index] = self.string(string.bytes) }
        return unsafe start
    }
}
