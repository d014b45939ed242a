internal import CLinux
internal import ConfigurationSyntax
internal import Glibc
package import Idleness
internal import Lifecycle
package import Linux

/// Why a socket cannot be held.
package struct HeldSocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kernel's reason.
    package let errno: Int32
    /// The directive and its value: `ListenStream=80`.
    package let socket: String
    /// What is in the way, and what mends it.
    package var problem: String

    /// Another one has the address.
    package var isTaken: Bool { errno == EADDRINUSE }

    /// One line.
    package var description: String { "\(socket): \(problem)" }
}

extension HeldSocket {
    /// Opens it: bound, with its file's owner and mode, and listening where connections are accepted.
    ///
    /// A Unix socket that no process has open any more is replaced; directories that are missing are made. An address with a port alone is
    /// one of IPv6 that takes IPv4 too, or one of IPv4 where the kernel has no IPv6 (systemd.socket(5)).
    package func open() throws(HeldSocketError) -> OwnedDescriptor {
        let file: HeldFile? =
            if let path { try file(at: path, making: options.directoryMode) } else { nil }
        if kind == .fifo, let file {
            do throws(LinuxError) {
                let fifo = try file.openFIFO()
                try file.give(S_IFIFO, options)
                return fifo
            } catch {
                throw failure(error.errno, error.call)
            }
        }
        if let file { try makeRoom(at: file) }
        let made = OwnedDescriptor(adopting: try bind())
        if let file { try give(file) }
        try tune(made.rawValue)
        return made
    }

    /// What came of opening one: its descriptor, which belongs to whichever thread is told of it.
    package typealias Opened = Result<Int32, HeldSocketError>

    /// Opens it, as ``open()`` does.
    package func opened() -> Opened {
        Result { () throws(HeldSocketError) in
            try open().release()
        }
    }

    /// Sets on an open one what may be changed at any time, as this one has it, but for its file; connections that wait stay.
    package func retune(_ descriptor: Int32) throws(HeldSocketError) {
        if kind != .fifo { try tune(descriptor) }
    }

    /// Gives its file, where it has one, the owner and the mode that this one has.
    package func giveFile() throws(HeldSocketError) {
        if let path { try give(file(at: path, making: nil)) }
    }

    private func tune(_ descriptor: Int32) throws(HeldSocketError) {
        if kind == .stream, isInternet {
            let seconds = (options.deferAccept.microseconds + 999_999) / 1_000_000
            let result = torpor_held_tune(
                descriptor, options.keepAlive ? 1 : 0, options.noDelay ? 1 : 0, Int32(clamping: seconds))
            guard result == 0 else { throw failure(-result, "setsockopt") }
        }
        guard listens else { return }
        guard Glibc.listen(descriptor, Int32(clamping: options.backlog)) == 0 else {
            throw failure(errno, "listen")
        }
    }

    /// Removes its file, where it has one.
    package func removeFile() {
        guard let path, let file = try? file(at: path, making: nil), [S_IFSOCK, S_IFIFO].contains(file.kind)
        else { return }
        file.remove()
    }

    /// Whether an open descriptor is this socket, as one may be that a predecessor has left.
    package func isSame(as descriptor: Int32) -> Bool {
        if kind == .fifo, let path {
            var (own, there) = (stat(), stat())
            guard unsafe fstat(descriptor, &own) == 0, unsafe stat(path, &there) == 0 else { return false }
            return own.st_mode & S_IFMT == S_IFIFO && own.st_dev == there.st_dev
                && own.st_ino == there.st_ino
        }
        guard let facts = try? SocketFacts(of: descriptor), facts.form == form, facts.isListening == listens
        else { return false }
        switch address {
        case .path, .abstract:
            return facts.family == .unix && UnixSocketAddress.name(of: descriptor) == unixName
        case .port(let port):
            guard let place = Endpoint(of: descriptor), place.port == port else { return false }
            return place.address.isUnspecified
        case .ipv4(let bits, let port):
            return facts.family == .ipv4
                && Endpoint(of: descriptor) == Endpoint(IPAddress(ipv4: bits), port: port)
        case .ipv6(let bytes, let port, _):
            guard facts.family == .ipv6, let place = Endpoint(of: descriptor), place.port == port else {
                return false
            }
            return place.address == IPAddress(bytes: bytes)
        }
    }

    private var form: SocketFacts.Form {
        switch kind {
        case .stream: .stream
        case .datagram: .datagram
        case .sequentialPacket: .sequentialPacket
        case .fifo: .other
        }
    }

    private var type: Int32 {
        switch kind {
        case .stream, .fifo: Int32(SOCK_STREAM.rawValue)
        case .datagram: Int32(SOCK_DGRAM.rawValue)
        case .sequentialPacket: Int32(SOCK_SEQPACKET.rawValue)
        }
    }

    // MARK: its place

    private var unixName: [UInt8] {
        switch address {
        case .path(let path): Array(path.utf8)
        case .abstract(let name): [0] + Array(name.utf8)
        case .port, .ipv4, .ipv6: []
        }
    }

    private func bind() throws(HeldSocketError) -> Int32 {
        var held = unsafe torpor_held()
        unsafe held.type = type
        unsafe held.v6_only = options.ipv6Only == .standard ? -1 : options.ipv6Only == .only ? 1 : 0
        unsafe held.free_bind = options.freeBind ? 1 : 0
        unsafe held.reuse_port = options.reusePort ? 1 : 0
        var bytes: [UInt8] = []
        switch address {
        case .path, .abstract: unsafe held.family = AF_UNIX
        case .port(let port): unsafe (held.family, held.port) = (AF_INET6, port)
        case .ipv4(let bits, let port):
            unsafe (held.family, held.port) = (AF_INET, port)
            bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> UInt32($0)) }
        case .ipv6(let address, let port, let interface):
            unsafe (held.family, held.port) = (AF_INET6, port)
            bytes = address
            // The reader takes no longer one; its last byte stays 0.
            unsafe withUnsafeMutableBytes(of: &held.interface) { room in
                unsafe room.copyBytes(from: (interface ?? "").utf8.prefix(15))
            }
        }
        unsafe withUnsafeMutableBytes(of: &held.address) { unsafe $0.copyBytes(from: bytes.prefix(16)) }
        do throws(LinuxError) {
            return try unsafe bind(&held)
        } catch {
            // No IPv6 here: then a port is one of IPv4.
            guard case .port = address, options.ipv6Only != .only,
                [EAFNOSUPPORT, EADDRNOTAVAIL].contains(error.errno)
            else { throw failure(error.errno, error.call) }
        }
        unsafe held.family = AF_INET
        do throws(LinuxError) { return try unsafe bind(&held) } catch {
            throw failure(error.errno, error.call)
        }
    }

    private func bind(_ held: inout torpor_held) throws(LinuxError) -> Int32 {
        var call: UnsafePointer<CChar>?
        let name = unixName
        let result = unsafe name.withUnsafeBytes { name in
            unsafe held.name = name.baseAddress
            unsafe held.name_length = name.count
            return unsafe torpor_held_bind(&held, &call)
        }
        guard result < 0 else { return result }
        throw LinuxError(errno: -result, call: unsafe call.map { unsafe String(cString: $0) } ?? "bind")
    }

    /// Its file, in a directory that is made with `mode` where it is missing.
    private func file(at path: String, making mode: UInt32?) throws(HeldSocketError) -> HeldFile {
        do throws(LinuxError) { return try HeldFile(path, making: mode) } catch {
            let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
            throw HeldSocketError(
                errno: error.errno, socket: spelling,
                problem: "cannot make or use its directory \(parent): \(error.reason)")
        }
    }

    /// Takes away what a dead process has left there.
    private func makeRoom(at file: HeldFile) throws(HeldSocketError) {
        let kind = file.kind
        guard kind != 0 else { return }
        guard kind == S_IFSOCK else {
            throw HeldSocketError(
                errno: EEXIST, socket: spelling,
                problem: "\(path ?? "it") exists and is no socket; remove it")
        }
        switch file.isAlive(type) {
        case false: file.remove()
        case true: throw failure(EADDRINUSE, "bind")
        case nil: break
        }
    }

    private func give(_ file: HeldFile) throws(HeldSocketError) {
        do throws(LinuxError) { try file.give(kind == .fifo ? S_IFIFO : S_IFSOCK, options) } catch {
            throw failure(error.errno, error.call)
        }
    }

    private func failure(_ errno: Int32, _ call: String) -> HeldSocketError {
        let problem: String =
            switch errno {
            case EADDRINUSE: "the address is in use"
            case EADDRNOTAVAIL:
                "no interface has this address; FreeBind=yes takes it all the same"
            case EACCES where isInternet:
                "a port below net.ipv4.ip_unprivileged_port_start needs root or CAP_NET_BIND_SERVICE"
            case EPERM where call == "chown":
                "SocketUser= and SocketGroup= need root or CAP_CHOWN"
            case EMLINK:
                "\(path ?? "it") has several hard links, and another user may have created one; remove it"
            case ENOENT where path != nil:
                "\(path ?? "it") is not there: it was removed, or its directory was replaced"
            case ENODEV, ENXIO: "there is no such network interface"
            case EEXIST: "\(path ?? "it") exists and is something else; remove it"
            case EAFNOSUPPORT: "the kernel has no such sockets"
            default: "\(call): \(errorText(errno))"
            }
        return HeldSocketError(errno: errno, socket: spelling, problem: problem)
    }
}

extension IPAddress {
    /// The address of 16 bytes in the order of the network.
    fileprivate init(bytes: [UInt8]) {
        func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: half(bytes.prefix(8)), low: half(bytes.dropFirst(8)))
    }
}

extension UnixSocketAddress {
    /// The name of a Unix socket as the kernel has it: a path, or a NUL and an abstract name (unix(7)).
    fileprivate static func name(of descriptor: Int32) -> [UInt8] {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        let start = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
        guard result == 0, Int(length) > start else { return [] }
        var bytes = unsafe withUnsafeBytes(of: &address) { unsafe Array($0[start..<Int(length)]) }
        if bytes.first != 0 { bytes = Array(bytes.prefix { $0 != 0 }) }
        return bytes
    }
}
