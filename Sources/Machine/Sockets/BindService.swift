internal import CLinux
internal import Glibc
package import Idleness
package import Linux

/// Answers a bind(2) of a worker that may be given a socket: on a thread, since the worker's memory may keep whoever reads it waiting.
package struct BindService: Sendable {
    /// What became of it.
    package enum Outcome: Hashable, Sendable {
        /// It was answered, and the kernel carries it out, or its caller is gone.
        case answered
        /// It was given the socket of this place.
        case given(Int)
        /// It waits until these places are closed, and is to go on then; why they cannot be given, where that is a fault.
        case yields([Int], problem: String?)
    }

    /// Duplicates of what is to be given away, which last as long as this.
    package final class Door: Sendable {
        let door: LentDoor
        let descriptor: OwnedDescriptor
        /// Its place among those of the worker.
        package var place: Int { door.place }

        /// A socket that may be given away.
        package init(_ door: LentDoor, _ descriptor: consuming OwnedDescriptor) {
            self.door = door
            self.descriptor = consume descriptor
        }
    }

    private let doors: [Door]

    /// A service that may give these away.
    package init(_ doors: [Door]) { self.doors = doors }

    /// Answers `call`, or says what has to happen first.
    package func serve(_ call: BindCall, _ listener: borrowing BindListener) -> Outcome {
        let answer: BindAnswer
        let own: Own
        do throws(LinuxError) {
            let bytes = try Self.memory(of: call)
            own = try Own(call)
            // Until here its thread has waited: its number has not been another's meanwhile.
            guard listener.isWaiting(call) else { return .answered }
            let address = bytes.flatMap { BindAddress(bytes: $0) }
            answer = BindAnswer(address, of: own.traits, doors.map(\.door))
        } catch {
            guard listener.isWaiting(call) else { return .answered }
            // It cannot be told which of them are in its way.
            return .yields(doors.map(\.door.place), problem: "\(error)")
        }
        switch answer {
        case .goesOn: listener.goOn(call)
        case .given(let place): return listener.succeed(call) ? .given(place) : .answered
        case .yields(let places): return .yields(places, problem: nil)
        case .give(let place):
            guard let door = doors.first(where: { $0.door.place == place }) else { break }
            return give(door, to: call, own, listener)
        }
        return .answered
    }

    private func give(
        _ door: Door, to call: BindCall, _ own: Own, _ listener: borrowing BindListener
    ) -> Outcome {
        do throws(LinuxError) {
            // It is the worker's as its own was: non-blocking, or not.
            try door.setFlags(own.isNonblocking)
            try listener.replace(call, by: door.descriptor.rawValue, closesOnExec: own.closesOnExec)
        } catch {
            guard listener.isWaiting(call) else { return .answered }
            return .yields([door.door.place], problem: "\(error)")
        }
        // Where it was interrupted since, it calls again, and has it by then.
        return listener.succeed(call) ? .given(door.door.place) : .answered
    }

    /// The address of a call; nil where the worker has none there, as the kernel will tell it.
    private static func memory(of call: BindCall) throws(LinuxError) -> [UInt8]? {
        guard call.length > 0, call.length <= 128 else { return nil }
        var bytes = [UInt8](repeating: 0, count: min(Int(call.length), BindAddress.longest))
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe torpor_read_memory(call.thread, call.address, $0.baseAddress, $0.count)
        }
        if count == -Int(EFAULT) { return nil }
        guard count >= 0 else {
            throw LinuxError(
                errno: Int32(-count), call: "process_vm_readv", subject: "process \(call.thread)")
        }
        return Array(bytes.prefix(count))
    }

    /// The worker's own socket, as it is before it is replaced.
    private struct Own: Sendable {
        let traits: SocketTraits
        let isNonblocking: Bool
        let closesOnExec: Bool

        init(_ call: BindCall) throws(LinuxError) {
            // A pidfd is one of the process, and its threads share the table.
            let process = Self.process(of: call.thread) ?? call.thread
            let pidfd = try Pidfd(pid: process)
            let copy: OwnedDescriptor
            do throws(LinuxError) {
                copy = try pidfd.duplicate(call.descriptor)
            } catch {
                guard error.errno == EBADF else { throw error }
                self.init(traits: SocketTraits(.other, inode: 0))
                return
            }
            guard case .socket(let inode) = try Inventory.Kind(of: copy.rawValue) else {
                // The kernel refuses it. It is let go of by a thread: close(2) of a file may wait.
                BorrowedDescriptor.dropUnknown(copy)
                self.init(traits: SocketTraits(.other, inode: 0))
                return
            }
            let text = try KernelFile.text("/proc/\(process)/fdinfo/\(call.descriptor)")
            let bits = OpenFlags(fdinfo: text)?.bits ?? 0
            self.init(
                traits: try SocketTraits(of: copy.rawValue, inode: inode),
                isNonblocking: fcntl(copy.rawValue, F_GETFL) & O_NONBLOCK != 0,
                closesOnExec: bits & UInt32(bitPattern: O_CLOEXEC) != 0)
        }

        private init(traits: SocketTraits, isNonblocking: Bool = false, closesOnExec: Bool = false) {
            (self.traits, self.isNonblocking) = (traits, isNonblocking)
            self.closesOnExec = closesOnExec
        }

        private static func process(of thread: Int32) -> Int32? {
            let status = try? KernelFile.text("/proc/\(thread)/status")
            let line = status?.lines.first { $0.hasPrefix("Tgid:") }
            return line.flatMap { Int32($0.dropFirst(5).drop { $0 == "\t" }) }
        }
    }
}

extension BindService.Door {
    fileprivate func setFlags(_ isNonblocking: Bool) throws(LinuxError) {
        let flags = try check(fcntl(descriptor.rawValue, F_GETFL), "fcntl", "F_GETFL")
        let wanted = isNonblocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
        try check(fcntl(descriptor.rawValue, F_SETFL, wanted), "fcntl", "F_SETFL")
    }
}

extension SocketTraits {
    /// What the socket of a descriptor of this process is.
    init(of descriptor: Int32, inode: UInt64) throws(LinuxError) {
        let facts = try SocketFacts(of: descriptor)
        let isIPv6 = facts.family == .ipv6
        let kind: Kind
        switch (facts.family, facts.form, facts.proto) {
        case (.ipv4, .stream, Int32(IPPROTO_TCP)), (.ipv6, .stream, Int32(IPPROTO_TCP)): kind = .tcp
        case (.ipv4, .datagram, Int32(IPPROTO_UDP)), (.ipv6, .datagram, Int32(IPPROTO_UDP)): kind = .udp
        default: kind = .other
        }
        var only: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        if isIPv6 {
            try check(
                unsafe getsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, &length), "getsockopt",
                "IPV6_V6ONLY")
        }
        self.init(
            kind, isIPv6: isIPv6, isIPv6Only: only != 0, inode: inode,
            isHere: DoorFacts.isOfOwnNetwork(descriptor))
    }
}

extension DoorDescriptor {
    /// This one, at `place` among those of its worker, as it may be given away; nil of one that may not.
    package func lendable(at place: Int) -> BindService.Door? {
        let endpoint: Endpoint
        switch self.place {
        case .tcp(let found), .udp(let found): endpoint = found
        case .unix: return nil
        }
        guard let traits = try? SocketTraits(of: rawValue, inode: inode),
            let copy = try? OwnedDescriptor.copy(of: rawValue)
        else { return nil }
        return BindService.Door(LentDoor(place, endpoint, traits), copy)
    }
}

extension LendingProspect {
    /// What this process may do, which is tried on a child that is gone when this returns.
    package static func probe() -> LendingProspect {
        var loses: Int32 = 0
        let result = unsafe torpor_try_noticing_binds(&loses)
        return LendingProspect(
            result == 0 ? .told(losesPrivileges: loses != 0) : Attempt(errno: -result),
            isFiltered: ThisProcess.isFiltered)
    }
}

extension LendingProspect.Attempt {
    /// Why it could not be had, by the errno of seccomp(2).
    package init(errno: Int32) {
        switch errno {
        case EPERM, EACCES: self = .refused
        case ENOSYS, EINVAL: self = .missing
        case EBUSY: self = .taken
        default: self = .failed("\(LinuxError(errno: errno, call: "seccomp"))")
        }
    }
}
