internal import Launching
internal import Lifecycle
internal import Linux
internal import Places
internal import SupervisorPorts
internal import Systemd
internal import WorkerIO

/// What one daemon hands to the next in the same process, in a file of the runtime directory.
package enum Takeover {
    /// The formats that are read; the last is written.
    ///
    /// From 6 on a handover is JSON, tagged by names: what is added to it is missing in an older one and has its default, and is
    /// ignored by an older program. So the number grows only where a member comes to mean something else, and the program that
    /// changes it goes on reading the numbers before. Those before 6 told fields by their places, and are not read.
    static let formats: ClosedRange<UInt64> = 6...6
    /// The option by which a program is asked whether it can take over.
    package static let checkOption = "--check-takeover"
    /// The option that names the file.
    package static let option = "--takeover"

    /// What a program answers that can take over.
    package static var answer: String {
        "torpord \(Version.current) takes over formats \(formats.lowerBound) to \(formats.upperBound)"
    }

    /// Whether a program that answers `text` can take over from this one.
    ///
    /// The format that is written here has to be among those that it reads; the program may be newer than this one, or older. One
    /// that reads format 5 alone answers with one number, and is refused.
    static func canTakeOver(_ text: String) -> Bool {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 8, words[0] == "torpord", words[4] == "formats", let first = UInt64(words[5]),
            let last = UInt64(words[7]), first <= last
        else { return false }
        return (first...last).contains(formats.upperBound)
    }

    /// Our own arguments without those of an earlier takeover.
    static var arguments: [String] {
        var rest: [String] = []
        var skips = false
        for argument in CommandLine.arguments.dropFirst() {
            if skips {
                skips = false
            } else if argument == option {
                skips = true
            } else {
                rest.append(argument)
            }
        }
        return rest
    }
}

/// Asks a program, once, whether it can take over; a broken one shows itself here, before anything is given up.
final class TakeoverCheck {
    private var reader: PipeReader?
    private let timer = SourceBox<TimeSource>()
    private var answer: [UInt8] = []
    private var pid: Int32 = 0
    private var finish: ((String?) -> Void)?

    /// How long it may take to answer.
    private static let patience: Int64 = 5_000_000

    /// Answers nil when `program` can take over, or else what is in the way.
    init(_ program: String, on loop: EventLoop, then finish: @escaping (String?) -> Void) throws {
        self.finish = finish
        var request = LaunchRequest(
            ByteString(program), ([Takeover.checkOption] + Takeover.arguments).map { ByteString($0) },
            environment: .current)
        request.session = .ownSession
        request.wantsPidfd = false
        var prepared = PreparedLaunch(request)
        prepared = try prepared.withNullInput()
        var pipe = try Fifo(anonymous: .reading, endsWithUs: true)
        prepared.request.standardOutput = .copied(from: prepared.keep(try pipe.openForWorker()))
        let ours = try pipe.openOurs(for: .reading)
        reader = try PipeReader(
            ours, on: loop,
            took: { [weak self] bytes in
                guard let self else { return }
                answer += bytes.prefix(4096)
                if answer.count > 4096 || answer.contains(UInt8(ascii: "\n")) { judge() }
            }, ended: { [weak self] in self?.judge() })
        timer.handle = try TimeSource(on: loop, priority: .clients) { [weak self] _ in
            self?.end("\(program) did not answer within \(Self.patience / 1_000_000) s")
        }
        timer.handle?.arm(at: KernelClock.monotonic + Self.patience)
        pid = try prepared.request.launch().pid
    }

    private func judge() {
        let text = String(decoding: answer, as: UTF8.self)
        if Takeover.canTakeOver(text) { return end(nil) }
        let line = text.split(separator: "\n").first.map { "\($0.prefix(200))" } ?? "no output"
        end("the installed program cannot take over: \(line)")
    }

    private func end(_ problem: String?) {
        guard let finish else { return }
        self.finish = nil
        timer.handle = nil
        // Ignoring a failure: it has ended by itself. It is our child until it is reaped, so its number is its own.
        if problem != nil { try? Signal.kill.send(toProcess: pid) }
        finish(problem)
    }
}
