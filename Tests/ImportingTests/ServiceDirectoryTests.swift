import ConfigurationSyntax
import Importing
import TestSupport
import Testing

@Suite struct `A service directory` {
    private func service(_ files: [String: String], as suite: String = "s6") -> Imported {
        let paths = Dictionary(uniqueKeysWithValues: files.map { ("/sv/web/\($0.key)", Optional($0.value)) })
        return Imported(paths, ["/sv/web"], as: suite == "s6" ? .s6 : .runit, directories: ["/sv/web"])
    }

    @Test(arguments: ["s6", "runit"]) func `is run where it is, and started again without end`(
        _ suite: String
    ) {
        #expect(
            service(["run": "#!/bin/sh\n"], as: suite).settings("web") == [
                "ExecStart=/sv/web/run", "WorkingDirectory=/sv/web", "Launch=boot", "Restart=always",
                "RestartSec=1s",
                "StartLimitIntervalSec=0", "TimeoutStopSec=infinity",
            ])
        #expect(service(["run": "", "down": ""], as: suite).settings("web").contains("Launch=on-demand"))
    }

    @Test func `of s6 has a signal and a time of its own`() {
        let imported = service([
            "run": "", "down-signal": "INT\n", "timeout-kill": "1500\n", "notification-fd": "3\n",
            "finish": "",
        ])
        #expect(
            imported.settings("web").contains("KillSignal=INT")
                && imported.settings("web").contains("TimeoutStopSec=1500ms"))
        #expect(imported.notes("web").count == 2)
        #expect(
            service(["run": "", "timeout-kill": "0"]).settings("web").contains("TimeoutStopSec=infinity"))
        #expect(
            service(["run": "", "timeout-kill": "x"]).problems == [
                "/sv/web/timeout-kill: got “x”; expected milliseconds"
            ])
    }

    @Test func `of runit keeps its log and its scripts for itself`() {
        let imported = service(
            ["run": "", "log/run": "", "check": "", "control/t": "", "finish": ""], as: "runit")
        #expect(
            imported.notes("web").map { String($0.split(separator: ":")[0]) } == [
                "/sv/web/check", "/sv/web/control", "/sv/web/finish", "/sv/web/log",
            ])
    }

    @Test func `of s6-rc has dependencies, and may be a oneshot or a bundle`() {
        let imported = Imported(
            [
                "/rc/db/type": "longrun\n", "/rc/db/run": "", "/rc/web/type": "longrun", "/rc/web/run": "",
                "/rc/web/dependencies.d/db": "", "/rc/web/dependencies.d/none": "",
                "/rc/setup/type": "oneshot",
                "/rc/setup/up": "echo hello", "/rc/all/type": "bundle", "/rc/all/contents": "web",
            ], ["/rc"],
            directories: ["/rc", "/rc/db", "/rc/web", "/rc/setup", "/rc/all", "/rc/web/dependencies.d"])
        #expect(imported.names == ["db", "setup", "web"])
        #expect(
            imported.settings("web").contains("Requires=db") && imported.settings("web").contains("After=db"))
        #expect(
            imported.settings("setup").prefix(2) == ["Type=oneshot", "ExecStart=execlineb -P /rc/setup/up"])
        #expect(imported.notes("web").contains { $0.contains("“none” is not among what is imported") })
    }

    @Test func `is none without a program`() {
        #expect(Imported(["/sv/x/a": ""], ["/sv/x"], directories: ["/sv/x"]).problems.count == 1)
        #expect(Imported(["/sv/x": ""], as: .runit).problems.count == 1)
    }
}
