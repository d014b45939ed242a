internal import Glibc
import Linux
import Relays

/// `torpor-relay`: moves bytes between connections for a supervisor, without privileges (torpor-relay(8)).
@main
struct TorporRelay {
    /// The descriptor of the control socket: the first after the standard ones.
    private static let control: Int32 = 3
    /// A user and group of relays alone, of the range that systemd leaves unused.
    ///
    /// Many services run as `nobody`, 65534, and could stop whatever else does.
    private static let own: UInt32 = 65533

    static func main() {
        // The next descriptor that is opened would get its number.
        guard fcntl(control, F_GETFD) >= 0 else { return refuse("") }
        do throws(LinuxError) {
            let relay = try Relay(
                control: OwnedDescriptor(inheriting: control), user: own, group: own)
            relay.run()
        } catch {
            refuse("\(error): ")
        }
    }

    private static func refuse(_ problem: String) {
        let text =
            "torpor-relay: \(problem)it is started by torpord(8), with a control socket as descriptor 3\n"
        _ = unsafe write(STDERR_FILENO, text, text.utf8.count)
        exit(1)
    }
}
