import ConfigurationSyntax
import Importing
import TestSupport
import Testing

@Suite struct `Units of systemd` {
    private func web(_ service: String, _ more: [String: String?] = [:], isSystem: Bool = true) -> Imported {
        Imported(
            more.merging(["/u/web.service": "[Service]\nExecStart=/bin/web\n" + service]) { $1 },
            ["/u/web.service"], isSystem: isSystem)
    }

    @Test(arguments: [
        ("Type=notify\nNotifyAccess=all", ["Type=notify", "NotifyAccess=all"]),
        (
            "Restart=on-failure\nRestartSec=5\nStartLimitInterval=1min",
            ["Restart=on-failure", "RestartSec=5", "StartLimitIntervalSec=1min"]
        ),
        (
            "SyslogIdentifier=%i\nEnvironment=A=%n B=%h \"C=%% %H\"",
            ["Environment=A=web.service B=/root \"C=%% %H\""]
        ),
        (
            "LimitNOFILE=1024:4096\nTasksMax=10%\nMemoryMax=50%",
            ["LimitNOFILE=1024:4096", "TasksMax=10%", "MemoryMax=50%"]
        ),
        (
            "EnvironmentFile=-/etc/default/%p\nUMask=0027\nNice=5",
            ["EnvironmentFile=-/etc/default/%p", "UMask=0027", "Nice=5"]
        ),
        (
            "ExecReload=/bin/kill -HUP $MAINPID\nExecStartPre=-/bin/a ; /bin/b",
            ["ExecReload=/bin/kill -HUP $MAINPID", "ExecStartPre=-/bin/a", "ExecStartPre=/bin/b"]
        ),
        ("ExecStop=/bin/web --quit $MAINPID", ["WillTerminate=exec:/bin/web --quit $MAINPID"]),
        ("CPUWeight=20\nMemoryHigh=1G", ["CPUWeight=20", "MemoryHigh=1G"]),
        ("[Install]\nWantedBy=multi-user.target", ["Launch=boot"]),
        ("[Unit]\nDescription=The %p\nStartLimitBurst=3", ["Description=The %p", "StartLimitBurst=3"]),
        ("ExecStart=\nExecStart=/bin/other \\\n  --x", ["ExecStart=/bin/other  --x"]),
        ("Environment=A=1\nEnvironment=\nEnvironment=B=2", ["Environment=B=2"]),
    ])
    func `a directive stays what it is`(_ text: String, _ expected: [String]) {
        let imported = web(text)
        for line in expected {
            #expect(imported.settings("web").contains(line), "\(imported.settings("web"))")
        }
    }

    @Test func `several sockets of one service keep their addresses, and it is said that they share a name`()
    {
        let imported = Imported([
            "/u/foo-bar.service": "[Service]\nExecStart=/bin/web\nSockets=http.socket admin.socket\n",
            "/u/http.socket": "[Socket]\nListenStream=/run/%N.sock\nService=foo-bar.service\n",
            "/u/admin.socket": "[Socket]\nListenStream=127.0.0.1:2\nBacklog=7\nService=foo-bar.service\n",
        ])
        #expect(
            imported.settings("foo-bar") == [
                "ExecStart=/bin/web", "ListenStream=/run/http.sock", "FileDescriptorName=http.socket",
                "ListenStream=127.0.0.1:2",
            ])
        let notes = imported.notes("foo-bar")
        #expect(
            notes.contains { $0.contains("LISTEN_FDNAMES") && $0.contains("/u/admin.socket") }, "\(notes)")
        #expect(notes.contains { $0.contains("Backlog=7") }, "\(notes)")
    }

    @Test func `sockets are named on several lines, and by specifiers`() {
        let several = Imported(
            [
                "/u/app.service": "[Service]\nExecStart=/bin/app\nSockets=b.socket\nSockets=a.socket\n",
                "/u/a.socket": "[Socket]\nListenStream=/run/a\nService=app.service\n",
                "/u/b.socket": "[Socket]\nListenStream=/run/b\nService=app.service\n",
            ], ["/u/app.service"])
        #expect(
            several.settings("app").filter { $0.hasPrefix("Listen") } == [
                "ListenStream=/run/b", "ListenStream=/run/a",
            ])
        let template = Imported([
            "/u/j@.service": "[Service]\nExecStart=/bin/j %i\n",
            "/u/j@.socket": "[Socket]\nListenStream=/run/j-%i.sock\nService=j@%i.service\n",
        ])
        #expect(template.names == ["j@"])
        #expect(template.settings("j@").contains("ListenStream=/run/j-%i.sock"))
    }

    @Test func `no worker runs as root that was to run as another user`() {
        #expect(web("DynamicUser=yes").settings("web").contains("User=nobody"))
        #expect(web("DynamicUser=yes").notes("web").contains { $0.contains("it runs as nobody") })
        let lost = web("User=%Z")
        #expect(lost.names.isEmpty)
        #expect(
            lost.notes().contains { $0.contains("its user cannot be taken over (User=%Z)") },
            "\(lost.notes())")
    }

    @Test func `what is dropped is said`() {
        #expect(web("CapabilityBoundingSet=").notes("web").contains { $0.contains("CapabilityBoundingSet=") })
        let template = Imported([
            "/u/a@.service": "[Service]\nExecStart=/bin/a\n[Install]\nWantedBy=multi-user.target\n"
        ])
        #expect(template.notes("a@").contains { $0.contains("Launch=boot") }, "\(template.notes("a@"))")
    }

    @Test func `a file stays one that the supervisor reads, however much is not taken over`() throws {
        let odd = (0..<60_000).map { "Odd\($0)=a value of some length that means nothing\n" }.joined()
        let imported = web(odd)
        let text = try #require(imported.plan.workers.first).text
        #expect(text.utf8.count < 4 << 20 && text.contains("more, which 'torpor import --check' lists."))
        #expect(imported.notes("web").count == 60_000)
    }

    @Test func `drop-ins go over the unit, in the order of their names and the more specific ones last`() {
        let imported = Imported(
            [
                "/u/web-a.service": "[Service]\nExecStart=/bin/web\nNice=1\n",
                "/u/service.d/50-x.conf": "[Service]\nNice=2\nUMask=01\n",
                "/u/web-.service.d/50-x.conf": "[Service]\nNice=3\n",
                "/u/web-a.service.d/10-y.conf": "[Service]\nNice=9\nGroup=g\n",
            ], ["/u/web-a.service"])
        #expect(imported.settings("web-a") == ["ExecStart=/bin/web", "Group=g", "Nice=3"])
    }

    @Test func `drop-ins of the system's directories count for a unit of the distribution`() {
        let imported = Imported(
            [
                "/usr/lib/systemd/system/web.service": "[Service]\nExecStart=/bin/web\n",
                "/etc/systemd/system/web.service.d/a.conf": "[Service]\nNice=4\n",
            ], ["/usr/lib/systemd/system/web.service"])
        #expect(imported.settings("web").contains("Nice=4"))
    }

    @Test func `services know each other, in both directions, and circles are opened`() {
        let imported = Imported([
            "/u/a.service":
                "[Unit]\nAfter=b.service network.target\nRequires=b.service\n[Service]\nExecStart=/bin/a\n",
            "/u/b.service": "[Unit]\nBefore=c.service\nAfter=a.service\n[Service]\nExecStart=/bin/b\n",
            "/u/c.service": "[Unit]\nBindsTo=a.service\nAfter=d.service\n[Service]\nExecStart=/bin/c\n",
        ])
        #expect(imported.settings("a") == ["ExecStart=/bin/a", "After=b", "Requires=b"])
        #expect(imported.settings("b") == ["ExecStart=/bin/b"])
        #expect(imported.notes("b") == ["/u/b.service:3: After=a.service: After= a.service closes a circle"])
        #expect(imported.settings("c") == ["ExecStart=/bin/c", "Requires=a", "After=b"])
        #expect(
            imported.notes("c") == [
                "/u/c.service:3: After=d.service: “d.service” is not among what is imported"
            ])
    }

    @Test func `a socket belongs to its service where that names it or it is given`() {
        let socket =
            "[Socket]\nListenStream=80\nListenStream=/run/web.sock\nSocketMode=0600\nAccept=no\nTimestamping=us\n"
        let files: [String: String?] = [
            "/u/web.service": "[Service]\nExecStart=/bin/web\n", "/u/web.socket": socket,
        ]
        let both = Imported(files)
        #expect(
            both.settings("web") == [
                "ExecStart=/bin/web", "ListenStream=80", "ListenStream=/run/web.sock", "SocketMode=0600",
                "FileDescriptorName=web.socket",
            ])
        #expect(both.notes("web").count == 1)
        let alone = Imported(files, ["/u/web.service"])
        #expect(alone.settings("web") == ["ExecStart=/bin/web"])
        #expect(alone.notes() == ["/u/web.socket: give it to torpor import as well where it is enabled"])
        #expect(Imported(files, ["/u/web.socket"]).settings("web") == both.settings("web"))
        let accepting = Imported([
            "/u/x.socket": "[Socket]\nListenStream=1\nAccept=yes\n",
            "/u/x.service": files["/u/web.service"] ?? nil,
        ])
        #expect(accepting.settings("x") == ["ExecStart=/bin/web"])
    }

    @Test func `templates stay templates, and an instance is a worker of its own`() {
        let files: [String: String?] = [
            "/u/web@.service": "[Service]\nExecStart=/bin/web %i %n %N %I\n",
            "/u/web@.service.d/a.conf": "[Service]\nNice=1\n",
            "/u/web@a-b.service.d/b.conf": "[Service]\nNice=2\n",
        ]
        let imported = Imported(files, ["/u/web@.service", "/u/web@a-b.service"])
        #expect(imported.settings("web@") == ["ExecStart=/bin/web %i %p@%i.service %n %I", "Nice=1"])
        #expect(imported.settings("web@a-b") == ["ExecStart=/bin/web %i %p@%i.service %n %I", "Nice=2"])
    }

    @Test func `units of a user keep the specifiers of the user`() {
        let imported = web("Environment=A=%h/%u\nExecStart=\nExecStart=/bin/web %u", isSystem: false)
        #expect(imported.settings("web") == ["Environment=A=%h/%u", "ExecStart=/bin/web ${USER}"])
    }

    @Test func `what has no counterpart is said with its line and the reason`() {
        let imported = web(
            "ProtectSystem=strict\nExecStartPre=+/bin/x\nEnvironment=A=%d\nKillMode=process\nOdd=1\nUMask=9")
        #expect(imported.notes("web").count == 6)
        #expect(
            imported.notes("web")[0]
                == "/u/web.service:3: ProtectSystem=strict: sandboxing has no counterpart")
        #expect(imported.notes("web")[1].contains("the prefix “+”"))
        #expect(imported.notes("web")[2].hasSuffix("the specifier %d has no counterpart"))
        for (files, reason) in [
            (
                ["/u/a.service": "[Service]\nType=forking\nExecStart=/bin/a\n"],
                "a service that forks has no counterpart"
            ),
            (["/u/a.service": "[Service]\nUser=x\n"], "no command"),
            (["/u/a.timer": "[Timer]\n"], "timers have no counterpart"),
            (["/u/a.service": nil], "the unit is masked"),
        ] as [([String: String?], String)] {
            let other = Imported(files)
            #expect(other.names.isEmpty && other.notes().contains { $0.contains(reason) }, "\(other.notes())")
        }
    }

    @Test(arguments: [
        ("[Service\n", "/u/a.service:1: invalid section header “[Service”; expected [Section]"),
        ("[Service]\nExecStart=\u{0}\n", "/u/a.service:2: a NUL byte; expected text"),
    ])
    func `bad input is refused in one line`(_ text: String, _ problem: String) {
        let problems = Imported(["/u/a.service": text]).problems
        #expect(problems.count == 1 && problems[0].hasPrefix(problem.split(separator: ";")[0]), "\(problems)")
    }
}
