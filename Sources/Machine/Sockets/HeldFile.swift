internal import CLinux
internal import Glibc
internal import Idleness
internal import Linux

/// The file of a held socket: a name in a directory that was reached one name at a time, so that no link of another user has led there.
///
/// A worker may own the directory that its socket is in, or one on the way to it: whatever it puts there, only what is in that very
/// directory is given away, replaced or removed.
struct HeldFile {
    private let directory: WalkedDirectory
    private let name: String

    /// The file at `path`; directories that are missing on the way are made with `mode`.
    init(_ path: String, making mode: UInt32?) throws(LinuxError) {
        (directory, name) = try WalkedDirectory.parent(of: path, making: mode)
    }

    /// What is there, as S_IFMT has it, a link itself; 0 where nothing is.
    var kind: mode_t { mode_t(max(unsafe torpor_held_kind(directory.number, name), 0)) }

    /// Whether a process has the socket open; nil where that cannot be told.
    func isAlive(_ type: Int32) -> Bool? {
        switch unsafe torpor_held_is_alive(type, directory.number, name) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    /// Opens it as a FIFO, made where it is missing.
    func openFIFO() throws(LinuxError) -> OwnedDescriptor {
        let result = unsafe torpor_held_fifo(directory.number, name)
        guard result >= 0 else { throw LinuxError(errno: -result, call: "open") }
        return OwnedDescriptor(adopting: result)
    }

    /// Gives it its owner and its mode, unless it is of another kind, or has another name that another user may have given it.
    func give(_ kind: mode_t, _ options: HeldSocket.Options) throws(LinuxError) {
        let result = unsafe torpor_held_give(
            directory.number, name, kind, options.mode, options.user ?? .max, options.group ?? .max)
        guard result == 0 else { throw LinuxError(errno: -result, call: "chown") }
    }

    func remove() {
        // Ignoring the result: the next one that binds there clears it away, or is told why not.
        _ = unsafe torpor_held_remove(directory.number, name)
    }
}
