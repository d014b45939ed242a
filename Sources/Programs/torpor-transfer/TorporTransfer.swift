internal import Glibc
import Launching
import Linux
import Transfers

/// `torpor-transfer`: holds one transfer of a worker, for a supervisor that it may outlive (torpor-transfer(8)).
@main
struct TorporTransfer {
    /// The descriptor of its file: the first after the standard ones.
    private static let file: Int32 = 3

    static func main() {
        var words = Array(CommandLine.arguments.dropFirst())
        var limits: [Confinement.ResourceLimit] = []
        while let first = words.first, first != "--" {
            guard let limit = Confinement.ResourceLimit(option: first) else { return refuse() }
            limits.append(limit)
            words.removeFirst()
        }
        guard words.count > 1, fcntl(file, F_GETFD) >= 0 else { return refuse() }
        TransferHolder(file: file, Array(words.dropFirst()), limits: limits).run()
    }

    private static func refuse() {
        let text = "torpor-transfer: it is started by torpord(8), with a file as descriptor 3 and a command\n"
        _ = unsafe write(STDERR_FILENO, text, text.utf8.count)
        exit(1)
    }
}
