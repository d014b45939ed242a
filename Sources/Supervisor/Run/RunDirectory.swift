internal import Glibc
internal import Linux

/// Where `torpor run` may make sockets: what systemd gave it, the user's runtime directory, /run; what is not writable is passed over.
enum RunDirectory {
    static func candidates(_ environment: Environment) -> [String] {
        var directories: [String] = []
        for name in ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"] {
            guard let value = environment[name]?.description, value.hasPrefix("/") else { continue }
            // systemd lists several with colons; the first is as good as any.
            directories += value.split(separator: ":").prefix(1).map(String.init)
        }
        if geteuid() == 0 { directories.append("/run") }
        return directories.filter { access($0, W_OK) == 0 }
    }
}
