import Foundation

/// The files of workers that several tests use.
enum WorkerFiles {
    /// Does nothing, and is launched by hand.
    static let idle = "[Worker]\nExecStart=/bin/sleep 1000\n"
    /// Does nothing, from the start.
    static let sleeper = idle + "Launch=boot\n"
    /// The same, and comes back when it fails.
    static let persistent = sleeper + "Restart=on-failure\nRestartSec=10ms\n"

    /// Lives by the whole contract, over the worker socket, and writes down what it is told.
    static var app: String {
        let program = (Wrapper.testPrograms as NSString).appendingPathComponent("LibraryWorker")
        return """
            [Worker]
            ExecStart=\(program)
            StandardOutput=append:DIRECTORY/app.log
            Type=app
            Launch=boot
            """
    }

    /// Says that it is ready, then again and again that it lives, in so many seconds at least.
    static func watched(within span: String) -> String {
        """
        [Worker]
        ExecStart=/bin/sh -c 'systemd-notify --ready; n=0; while :; do n=$$((n+1)); systemd-notify --status="beat $$n" WATCHDOG=1; sleep 0.05; done'
        Type=notify
        NotifyAccess=all
        WatchdogSec=\(span)
        Launch=boot
        """
    }
}

extension DaemonUnderTest {
    /// The lines of a file that a worker or a hook writes.
    func lines(of file: String) -> [String] {
        let text = try? String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }
}
