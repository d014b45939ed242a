internal import ConfigurationSyntax

/// The kind of files that workers are imported from.
package enum ImportFormat: String, Keyword, Sendable {
    /// supervisord.conf, or a file that it includes.
    case supervisord
    /// A Procfile, with the `.env` beside it.
    case procfile
    /// Units of systemd: services, with their drop-ins and sockets.
    case systemd
    /// A service directory of s6-supervise, a scan directory of them, or a source of s6-rc.
    case s6
    /// A service directory of runsv, or a directory of them.
    case runit
    /// A compose file.
    case compose

    /// What a file is by its name; nil where only its content tells.
    static func named(_ name: String) -> ImportFormat? {
        let name = name.lowercased()
        if UnitName.types.contains(where: name.hasSuffix) { return .systemd }
        if name.hasSuffix(".yaml") || name.hasSuffix(".yml") { return .compose }
        if name == "procfile" || name.hasPrefix("procfile.") || name.hasSuffix(".procfile") {
            return .procfile
        }
        return name == "supervisord.conf" ? .supervisord : nil
    }

    /// What a file is by its content; nil where that is not to be told either.
    static func holding(_ text: String) -> ImportFormat? {
        var lines = 0
        for line in text.split(whereSeparator: \.isNewline) {
            let line = String(line).trimmed
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            let supervisord = [
                "[program:", "[supervisord]", "[group:", "[eventlistener:", "[fcgi-program:", "[include]",
                "[unix_http_server", "[inet_http_server", "[supervisorctl]", "[rpcinterface:",
            ]
            if supervisord.contains(where: line.hasPrefix) { return .supervisord }
            if ["[Unit]", "[Service]", "[Socket]", "[Install]"].contains(line) { return .systemd }
            if ["services:", "version:"].contains(where: line.hasPrefix) { return .compose }
            lines += 1
            // What begins with something else is none of these.
            if lines > 20 { return nil }
        }
        return nil
    }
}
