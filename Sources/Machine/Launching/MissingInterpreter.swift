internal import Glibc
package import Linux

/// What execve(2) does not find although the program itself is there: the interpreter of a script, or the dynamic loader of an ELF program.
///
/// The kernel says ENOENT for either, as for a program that does not exist.
package enum MissingInterpreter {
    /// What the first bytes of a file say of the program that is to run it.
    package enum Need: Hashable, Sendable {
        /// The interpreter that a first line with `#!` names.
        case interpreter(ByteString)
        /// The dynamic loader of an ELF program.
        case loader
    }

    /// How many bytes of a file the kernel looks at (BINPRM_BUF_SIZE).
    package static let headSize = 256

    /// What a file needs that begins with `head`; nil for one that is neither a script nor an ELF program.
    ///
    /// The name is what execve(2), "Interpreter scripts", takes: behind blanks, up to the next blank or the end of the line. A carriage
    /// return belongs to it.
    package static func need(of head: [UInt8]) -> Need? {
        if head.starts(with: [0x7f, 0x45, 0x4c, 0x46]) { return .loader }
        guard head.starts(with: Array("#!".utf8)) else { return nil }
        let line = head.prefix(headSize).dropFirst(2).prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let name = line.drop(while: isBlank).prefix { !isBlank($0) }
        return name.isEmpty ? nil : .interpreter(ByteString(Array(name)))
    }

    /// A clause that says what is missing, and what to do, after execve(2) has failed with ENOENT or ENOTDIR; nil where the program is not
    /// there, cannot be read, or has an interpreter.
    ///
    /// Of an ELF program it takes that failure for the proof, so that it says nothing of a program that was not executed.
    /// The program `name` is looked for in `path` as execvp(3) does it, from `directory` or the working directory. Reads the beginning of a
    /// file.
    package static func clause(for name: ByteString, path: ByteString?, in directory: ByteString? = nil)
        -> String?
    {
        let absolute = { (path: ByteString) in
            guard let directory, path.bytes.first != UInt8(ascii: "/") else { return path.description }
            return "\(directory)/\(path)"
        }
        for candidate in ExecutableSearch.candidates(for: name, path: path) {
            let file = absolute(candidate)
            let head = try? RegularFile.withParts(of: file) { part in part(0, headSize) }
            guard let head, unsafe access(file, X_OK) == 0 else { continue }
            switch need(of: head) {
            case nil: return nil
            case .loader:
                return
                    "its dynamic loader does not exist, which 'file' shows: it was built for another system"
            case .interpreter(let interpreter):
                guard unsafe access(absolute(interpreter), F_OK) != 0 else { return nil }
                guard interpreter.bytes.last == UInt8(ascii: "\r") else {
                    return
                        "the interpreter \(interpreter) of its first line does not exist: correct the line, or install it"
                }
                return "its first line ends with a carriage return, which execve(2) takes for a part of the"
                    + " interpreter's name: write the file with the line ends of Linux"
            }
        }
        return nil
    }
}
