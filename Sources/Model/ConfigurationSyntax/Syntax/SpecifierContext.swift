/// What the specifiers of a worker's file stand for.
package struct SpecifierContext: Hashable, Sendable {
    /// The worker; nil in files that belong to none.
    package var worker: WorkerName?
    /// The machine and the user that the supervisor runs as.
    package var place: Place
    /// Letters that stay as they are, to be filled in at launch (`%u` for a URL): they come out as markers where a
    /// directive knows what to do with them.
    package var markers: Set<UInt8>

    /// A context for `worker` at `place`.
    package init(worker: WorkerName? = nil, place: Place = Place(), markers: Set<UInt8> = []) {
        self.worker = worker
        self.place = place
        self.markers = markers
    }

    /// What specifiers tell of the machine and the supervisor's user; what is not known makes its specifier an error.
    package struct Place: Hashable, Sendable {
        /// `%t`, the root of runtime directories: /run or `$XDG_RUNTIME_DIR`.
        package var runtimeDirectory = "/run"
        /// `%S`, the root of state directories.
        package var stateDirectory = "/var/lib"
        /// `%C`, the root of caches.
        package var cacheDirectory = "/var/cache"
        /// `%L`, the root of logs.
        package var logsDirectory = "/var/log"
        /// `%E`, the root of configuration.
        package var configurationDirectory = "/etc"
        /// `%T`, for temporary files.
        package var temporaryDirectory = "/tmp"
        /// `%V`, for bigger and longer-lived temporary files.
        package var persistentTemporaryDirectory = "/var/tmp"
        /// `%h`, the home of the supervisor's user.
        package var home: String?
        /// `%s`, the shell of the supervisor's user.
        package var shell: String?
        /// `%u`, the supervisor's user.
        package var user: String?
        /// `%U`, its number.
        package var uid: UInt32?
        /// `%g`, the supervisor's group.
        package var group: String?
        /// `%G`, its number.
        package var gid: UInt32?
        /// `%H`, the host's name; `%l` is the part before its first dot.
        package var hostName: String?
        /// `%m`, of machine-id(5).
        package var machineID: String?
        /// `%b`, the boot's identifier.
        package var bootID: String?
        /// `%v`, as `uname -r` tells it.
        package var kernelRelease: String?
        /// `%a`, as systemd.unit(5) names it under ConditionArchitecture=.
        package var architecture: String?

        /// The system's directories, and nothing known of user and machine.
        package init() {}
    }

    /// A piece of a text whose specifiers are replaced.
    package enum Piece: Hashable, Sendable {
        /// As it stands.
        case text(String)
        /// A letter of `markers`.
        case marker(UInt8)
    }

    /// `text` with every specifier replaced; markers stay as they were written.
    package func expand(_ text: String) throws(ValueError) -> String {
        guard text.utf8.contains(.percent) else { return text }
        return try pieces(of: text).map { piece in
            switch piece {
            case .text(let text): text
            case .marker(let letter): String(cut: [.percent, letter])
            }
        }.joined()
    }

    /// `text` cut at its markers, all other specifiers replaced.
    package func pieces(of text: String) throws(ValueError) -> [Piece] {
        var cursor = ByteCursor(text)
        var pieces: [Piece] = []
        var pending: [UInt8] = []
        while let byte = cursor.next() {
            guard byte == .percent else {
                pending.append(byte)
                continue
            }
            guard let letter = cursor.next() else {
                throw ValueError(
                    "a “%” at the end of \(text.quoted)", expected: "a specifier, or %% for a “%”")
            }
            if letter == .percent {
                pending.append(.percent)
            } else if markers.contains(letter) {
                if !pending.isEmpty { pieces.append(.text(String(cut: pending))) }
                pending = []
                pieces.append(.marker(letter))
            } else {
                pending += try value(of: letter, in: text).utf8
            }
        }
        if !pending.isEmpty || pieces.isEmpty { pieces.append(.text(String(cut: pending))) }
        return pieces
    }

    private func value(of letter: UInt8, in text: String) throws(ValueError) -> String {
        let name = letter < 0x80 ? String(cut: [.percent, letter]) : "%"
        let value: String?
        switch letter {
        case UInt8(ascii: "n"), UInt8(ascii: "N"): value = worker?.text
        case UInt8(ascii: "p"): value = worker?.prefix
        case UInt8(ascii: "P"):
            value = try worker.map { worker throws(ValueError) in try Escaping.unescape(worker.prefix) }
        case UInt8(ascii: "i"): value = worker.map { $0.instance ?? "" }
        case UInt8(ascii: "I"):
            value = try worker.map { worker throws(ValueError) in try Escaping.unescape(worker.instance ?? "")
            }
        case UInt8(ascii: "j"): value = worker.map(lastPart)
        case UInt8(ascii: "J"):
            value = try worker.map { worker throws(ValueError) in try Escaping.unescape(lastPart(of: worker))
            }
        case UInt8(ascii: "f"):
            value = try worker.map { worker throws(ValueError) in
                let path = try Escaping.unescape(worker.instance ?? worker.prefix)
                return path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
            }
        case UInt8(ascii: "t"): value = place.runtimeDirectory
        case UInt8(ascii: "S"): value = place.stateDirectory
        case UInt8(ascii: "C"): value = place.cacheDirectory
        case UInt8(ascii: "L"): value = place.logsDirectory
        case UInt8(ascii: "E"): value = place.configurationDirectory
        case UInt8(ascii: "T"): value = place.temporaryDirectory
        case UInt8(ascii: "V"): value = place.persistentTemporaryDirectory
        case UInt8(ascii: "h"): value = place.home
        case UInt8(ascii: "s"): value = place.shell
        case UInt8(ascii: "u"): value = place.user
        case UInt8(ascii: "U"): value = place.uid.map { String($0) }
        case UInt8(ascii: "g"): value = place.group
        case UInt8(ascii: "G"): value = place.gid.map { String($0) }
        case UInt8(ascii: "H"): value = place.hostName
        case UInt8(ascii: "l"): value = place.hostName.map { String(cut: $0.utf8.prefix { $0 != .dot }) }
        case UInt8(ascii: "m"): value = place.machineID
        case UInt8(ascii: "b"): value = place.bootID
        case UInt8(ascii: "v"): value = place.kernelRelease
        case UInt8(ascii: "a"): value = place.architecture
        default:
            throw ValueError(
                "unknown specifier \(name.quoted) in \(text.quoted)",
                expected:
                    "one of %n %N %p %P %i %I %j %J %f %t %S %C %L %E %T %V %h %s %u %U %g %G %H %l %m %b %v %a, or %%"
            )
        }
        guard let value else { throw ValueError("\(name.quoted) in \(text.quoted) has no value here") }
        return value
    }

    /// What stands behind the last dash of the prefix.
    private func lastPart(of worker: WorkerName) -> String {
        let prefix = worker.prefix
        guard let dash = prefix.utf8.lastIndex(of: .dash) else { return prefix }
        return String(prefix[prefix.utf8.index(after: dash)...])
    }
}
