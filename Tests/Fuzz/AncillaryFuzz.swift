// The fuzz target for what comes along with messages over Unix sockets (ancillary.c): descriptors, and who sent them.
import CLinux
import Glibc

/// Two sockets of each kind that are connected to each other, and files that are told apart by their numbers on the file system.
private struct Stage {
    let datagrams: (sends: CInt, receives: CInt)
    let streams: (sends: CInt, receives: CInt)
    let files: [CInt]
    let identities: [ino_t]
    /// Above all of these.
    let lowest: CInt
    /// What is open from the start, and of which device and number each is: another number of one of these that is left was forgotten.
    let isOpen: [Bool]
    let known: Set<[UInt64]>

    /// Beyond the numbers that descriptors get here.
    static let most: CInt = 600

    init() {
        func pair(_ kind: __socket_type) -> (CInt, CInt) {
            var ends: (CInt, CInt) = (-1, -1)
            let flags = CInt(kind.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            withUnsafeMutableBytes(of: &ends) { room in
                precondition(
                    socketpair(AF_UNIX, flags, 0, room.baseAddress?.assumingMemoryBound(to: CInt.self)) == 0)
            }
            return ends
        }
        let (datagrams, streams) = (pair(SOCK_DGRAM), pair(SOCK_STREAM))
        var on: CInt = 1
        precondition(
            setsockopt(datagrams.1, SOL_SOCKET, SO_PASSCRED, &on, socklen_t(MemoryLayout<CInt>.size)) == 0)
        // Not on every kernel.
        _ = torpor_unix_pass_pidfd(datagrams.1)
        (self.datagrams, self.streams) = (datagrams, streams)
        let pipes = (0..<4).map { _ in
            var ends: [CInt] = [-1, -1]
            precondition(pipe(&ends) == 0)
            return ends
        }
        files = pipes.map { $0[0] }
        identities = files.map { Stage.identity($0) }
        lowest = (pipes.joined().max() ?? 0) + 1
        isOpen = (0..<Stage.most).map { fcntl($0, F_GETFD) >= 0 }
        known = Set((0..<Stage.most).compactMap(Stage.file))
    }

    /// The device and the number of what is open; nil where nothing is.
    static func file(_ descriptor: CInt) -> [UInt64]? {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? [UInt64(facts.st_dev), UInt64(facts.st_ino)] : nil
    }

    static func identity(_ descriptor: CInt) -> ino_t {
        var facts = stat()
        precondition(fstat(descriptor, &facts) == 0, "\(descriptor) is not open")
        return facts.st_ino
    }
}

private nonisolated(unsafe) let stage = Stage()

/// The bytes of an input, taken one after the other; 0 behind the last.
private struct Bytes {
    var rest: ArraySlice<UInt8>

    mutating func next() -> Int { Int(rest.popFirst() ?? 0) }
}

/// One control message as it is sent.
private enum Control {
    case rights([CInt])
    case credentials
    /// Of any level and type, with any bytes; the kernel may refuse it.
    case other(level: CInt, type: CInt, [UInt8])

    /// As cmsg(3) has it, with padding.
    var bytes: [UInt8] {
        let (level, type, data): (CInt, CInt, [UInt8])
        switch self {
        case .rights(let files):
            (level, type, data) = (SOL_SOCKET, 1, files.flatMap { withUnsafeBytes(of: $0, Array.init) })
        case .credentials:
            let own = [UInt32(getpid()), getuid(), getgid()]
            (level, type, data) = (SOL_SOCKET, 2, own.withUnsafeBytes(Array.init))
        case .other(let ofLevel, let ofType, let bytes): (level, type, data) = (ofLevel, ofType, bytes)
        }
        let head = MemoryLayout<cmsghdr>.size
        var bytes = withUnsafeBytes(of: head + data.count, Array.init)
        bytes += withUnsafeBytes(of: level, Array.init) + withUnsafeBytes(of: type, Array.init) + data
        return bytes + Array(repeating: 0, count: (8 - bytes.count % 8) % 8)
    }
}

/// One input: messages that are sent with all kinds of control data, and received with enough room, too little, or too few free numbers.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAncillary(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Bytes(rest: Array(UnsafeBufferPointer(start: start, count: count))[...])
    for _ in 0..<8 where !input.rest.isEmpty {
        let kind = input.next()
        let isStream = kind & 1 == 1
        let text = (0..<input.next() % 64).map { _ in UInt8(input.next()) }
        var controls: [Control] = []
        for _ in 0..<kind >> 1 & 3 {
            switch input.next() % 4 {
            case 0, 1:
                let which = input.next()
                controls.append(.rights((0..<input.next()).map { stage.files[(which + $0 * 3) % 4] }))
            case 2: controls.append(.credentials)
            default:
                let (level, type) = (input.next() % 3, input.next() % 8)
                controls.append(
                    .other(
                        level: CInt(level), type: CInt(type),
                        (0..<input.next() % 32).map { _ in UInt8(input.next()) }))
            }
        }
        let ends = isStream ? stage.streams : stage.datagrams
        if send(text, controls, over: ends.sends) {
            // So few numbers are free.
            let free = kind & 16 == 0 ? nil : input.next()
            receive(text, controls, over: ends.receives, isStream, room: input.next() % 80, free)
        }
        // What is left of a stream, and what was refused, is not the next message.
        var room = [UInt8](repeating: 0, count: 256)
        while recv(ends.receives, &room, room.count, 0) > 0 {}
    }
    checkNothingIsLeft()
    return 0
}

/// Whether the kernel takes it.
private func send(_ text: [UInt8], _ controls: [Control], over socket: CInt) -> Bool {
    var (text, control) = (text, controls.flatMap(\.bytes))
    return text.withUnsafeMutableBytes { text in
        control.withUnsafeMutableBytes { control in
            var vector = iovec(iov_base: text.baseAddress, iov_len: text.count)
            return withUnsafeMutablePointer(to: &vector) { vector in
                var message = msghdr()
                message.msg_iov = vector
                message.msg_iovlen = 1
                message.msg_control = control.isEmpty ? nil : control.baseAddress
                message.msg_controllen = control.count
                return sendmsg(socket, &message, CInt(MSG_NOSIGNAL)) >= 0
            }
        }
    }
}

private func receive(
    _ text: [UInt8], _ controls: [Control], over socket: CInt, _ isStream: Bool, room: Int, _ free: Int?
) {
    var message = torpor_datagram()
    message.pidfd = -1
    var buffer = [UInt8](repeating: 0, count: room)
    let limit = rlim_t(Int(stage.lowest) + (free ?? 1000))
    setLimit(limit)
    defer { setLimit(rlim_t(Int(stage.lowest) + 1000)) }
    let length: Int
    if isStream {
        length = torpor_stream_receive(socket, &buffer, room, &message)
        // Without room, or without text, nothing is taken off a stream.
        guard length >= 0 else {
            return precondition(length == -Int(EAGAIN) && (text.isEmpty || room == 0), "\(length)")
        }
        precondition(length == min(text.count, room), "\(length) of \(text.count)")
    } else {
        let result = torpor_datagram_receive(socket, &buffer, room, &message)
        precondition(
            result == 0 && message.length == text.count, "\(result), \(message.length) of \(text.count)")
        length = min(text.count, room)
        precondition(
            message.has_credentials && message.pid == getpid() && message.uid == getuid(),
            "it has another sender")
        if message.pidfd >= 0 {
            precondition(message.tells_pidfd && isClosedOnExec(message.pidfd), "a pidfd that is not told of")
            close(message.pidfd)
        }
    }
    precondition(buffer.prefix(length).elementsEqual(text.prefix(length)), "another text")
    let sent = controls.flatMap { control -> [CInt] in
        if case .rights(let files) = control { files } else { [] }
    }
    let received = withUnsafeBytes(of: message.descriptors) { bytes in
        bytes.bindMemory(to: CInt.self).prefix(Int(message.descriptor_count)).map { $0 }
    }
    let isCut = free != nil && (isStream || message.control_truncated)
    // Raw control data may have been descriptors too, by chance.
    let isKnown = !controls.contains { if case .other(SOL_SOCKET, 1, _) = $0 { true } else { false } }
    if isKnown, !(isStream && room == 0) {
        precondition(
            isCut ? received.count <= sent.count : received.count == sent.count,
            "\(received.count) of \(sent.count)")
        for (got, file) in zip(received, sent) {
            precondition(Stage.identity(got) == Stage.identity(file), "another file")
        }
    }
    for descriptor in received {
        precondition(isClosedOnExec(descriptor), "\(descriptor) outlives execve(2)")
        close(descriptor)
    }
}

private func setLimit(_ limit: rlim_t) {
    var limits = rlimit()
    precondition(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
    limits.rlim_cur = min(limit, limits.rlim_max)
    precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
}

private func isClosedOnExec(_ descriptor: CInt) -> Bool { fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0 }

/// No descriptor of any message is open any more.
///
/// What libFuzzer opened since, as the pipes to the program that gives the names of
/// functions, is of no message: a message carries what was open from the start, and at most one pidfd.
private func checkNothingIsLeft() {
    for descriptor in 0..<Stage.most where !stage.isOpen[Int(descriptor)] {
        guard let file = Stage.file(descriptor) else { continue }
        precondition(!stage.known.contains(file) && !isPidfd(descriptor), "\(descriptor) is left open")
    }
}

private func isPidfd(_ descriptor: CInt) -> Bool {
    var name = [CChar](repeating: 0, count: 64)
    let length = readlink("/proc/self/fd/\(descriptor)", &name, name.count)
    return String(decoding: name.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self).contains(
        "pidfd")
}
