internal import Glibc
internal import Linux

/// Where `torpor run` may make sockets: what systemd gave it, the user's runtime directory, /run.
///
/// What is not writable is passed over, and so is a directory of another user: root keeps XDG_RUNTIME_DIR where sudo(8) is told
/// to, and that user could put something else in the place of what is made there.
enum RunDirectory {
    static func candidates(_ environment: Environment) -> [String] {
        var directories: [String] = []
        for name in ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"] {
            guard let value = environment[name]?.description, value.hasPrefix("/") else { continue }
            // systemd lists several with colons; the first is as good as any.
            directories += value.split(separator: ":").prefix(1).map(String.init)
        }
        if geteuid() == 0 { directories.append("/run") }
        return directories.filter { access($0, W_OK) == 0 && (try? Directory.requireOwn($0)) != nil }
    }
}
