import ConfigurationSyntax
import Importing
import TestSupport
import Testing

@Suite struct `supervisord.conf` {
    private func web(_ options: String, main: String = "", environment: [String: String] = [:]) -> Imported {
        Imported(
            [
                "/etc/supervisord.conf":
                    "[supervisord]\n\(main)\n[program:web]\ncommand=/bin/web\n\(options)\n"
            ],
            environment: environment)
    }

    @Test func `a program is restarted, retried and ended as supervisord does it by default`() {
        #expect(
            web("").settings("web") == [
                "ExecStart=/bin/web", "Launch=boot", "Restart=on-failure",
                "RestartForceExitStatus=SIGHUP SIGINT SIGTERM SIGPIPE", "RestartSec=1s", "RestartSteps=4",
                "RestartMaxDelaySec=4s", "StartLimitBurst=4", "StartLimitIntervalSec=11242ms",
                "TimeoutStopSec=10s",
            ])
    }

    @Test(arguments: [
        ("autostart=false", ["Launch=on-demand"]), ("autorestart=true", ["Restart=always"]),
        ("autorestart=false", ["Restart=no"]), ("exitcodes=0,2", ["SuccessExitStatus=2"]),
        ("exitcodes=3", ["SuccessExitStatus=3", "RestartForceExitStatus=0 SIGHUP SIGINT SIGTERM SIGPIPE"]),
        ("startsecs=2\nstartretries=0", ["StartLimitBurst=1", "StartLimitIntervalSec=3s"]),
        // No end is a start that failed then.
        ("startsecs=0\nstartretries=0", ["StartLimitIntervalSec=0"]),
        ("startsecs=0", ["StartLimitBurst=4", "StartLimitIntervalSec=0"]),
        ("startretries=1000000", ["StartLimitIntervalSec=0", "RestartMaxDelaySec=100s"]),
        ("stopsignal=quit", ["KillSignal=QUIT"]), ("stopwaitsecs=0", ["TimeoutStopSec=1ms"]),
        ("user=www-data", ["User=www-data"]), ("umask=0o27", ["UMask=27"]),
        ("directory=/srv/100%%", ["WorkingDirectory=/srv/100%%"]),
        (
            "environment=A=\"1, 2\",B='x y',C=3",
            ["Environment=\"A=1, 2\"", "Environment=\"B=x y\"", "Environment=C=3"]
        ),
        (
            "stdout_logfile=/var/log/%(program_name)s.log",
            ["StandardOutput=append:/var/log/web.log", "StandardError=journal"]
        ),
        ("stdout_logfile=/l\nredirect_stderr=true", ["StandardOutput=append:/l", "StandardError=inherit"]),
        (
            "stdout_logfile=NONE\nstderr_logfile=/dev/stderr",
            ["StandardOutput=null", "StandardError=inherit"]
        ),
        (
            "command=/bin/sh -c \"a 'b' \\\"c\\\" $X 5%%\"",
            ["ExecStart=/bin/sh -c \"a 'b' \\\"c\\\" $$X 5%%\""]
        ),
        ("command=web\n  --one\n  --two ; a comment", ["ExecStart=web --one --two"]),
        ("command=bin/web x\ndirectory=/srv", ["ExecStart=@/srv/bin/web bin/web x"]),
        (
            "command=%(ENV_HOME)s/web %(here)s %(host_node_name)s",
            ["ExecStart=/home/me/web /etc host.example.org"]
        ),
        ("environment=DIR=\"/x\"\ncommand=/bin/web %(ENV_DIR)s", ["ExecStart=/bin/web /x"]),
    ])
    func `an option becomes a directive`(_ options: String, _ expected: [String]) {
        let imported = web(options, environment: ["HOME": "/home/me"])
        #expect(imported.problems.isEmpty, "\(imported.problems)")
        for line in expected {
            #expect(imported.settings("web").contains(line), "\(imported.settings("web"))")
        }
    }

    @Test func `what applies to all programs goes into each`() {
        let imported = web(
            "environment=B=2", main: "environment=A=1,B=1\nminfds=2048\numask=077\ndirectory=/srv")
        for line in [
            "Environment=A=1", "Environment=B=2", "LimitNOFILE=2048:524288", "UMask=077",
            "WorkingDirectory=/srv",
        ] {
            #expect(imported.settings("web").contains(line))
        }
        #expect(!web("", main: "nodaemon=true\numask=077").settings("web").contains("UMask=077"))
    }

    @Test func `several processes of a program are several workers, and groups and priorities an order`() {
        let imported = Imported([
            "/s.conf": """
            [program:queue]
            command=/bin/queue %(process_num)d %(group_name)s
            process_name=%(program_name)s_%(process_num)02d
            numprocs=2
            numprocs_start=7
            [program:db]
            command=/bin/db
            priority=1
            [group:all]
            programs=queue
            priority=5
            """
        ])
        #expect(imported.names == ["queue_07", "queue_08", "db"])
        #expect(imported.settings("queue_07").contains("ExecStart=/bin/queue 7 all"))
        #expect(imported.settings("queue_08").contains("After=db"))
        #expect(!imported.settings("db").contains { $0.hasPrefix("After=") })
        #expect(
            imported.notes().contains { $0.hasPrefix("/s.conf:9: [group:all]: groups have no counterpart") })
    }

    @Test func `included files have their own here, and are read once`() {
        let imported = Imported(
            [
                "/etc/supervisord.conf":
                    "[include]\nfiles = conf.d/*.conf /etc/supervisord.conf none/*.ini\n",
                "/etc/conf.d/b.conf": "[program:b]\ncommand=/bin/b %(here)s\n",
                "/etc/conf.d/a.conf": "[program:a]\ncommand=/bin/a\n[include]\nfiles=/etc/conf.d/*.conf\n",
                "/etc/conf.d/x.ini": "[program:x]\n",
            ], ["/etc/supervisord.conf"])
        #expect(imported.names == ["a", "b"])
        #expect(imported.settings("b").contains("ExecStart=/bin/b /etc/conf.d"))
        #expect(imported.notes().contains { $0.contains("included a second time") })
        #expect(imported.notes().contains { $0.contains("no file matches /etc/none/*.ini") })
    }

    @Test func `what has no counterpart is said with its line and the reason`() {
        let imported = web(
            "stdout_logfile=/l\nstdout_logfile_maxbytes=1MB\nodd=1\nstopasgroup=true\n[eventlistener:mail]\ncommand=/bin/mail\nevents=PROCESS_STATE\n[supervisorctl]\n"
        )
        #expect(imported.names == ["web"])
        #expect(
            imported.notes().contains {
                $0.hasPrefix(
                    "/etc/supervisord.conf:9: [eventlistener:mail]: event listeners have no counterpart")
            })
        #expect(
            imported.notes("web").contains {
                $0.hasPrefix("/etc/supervisord.conf:6: stdout_logfile_maxbytes=1MB: ")
            })
        #expect(
            imported.notes("web").contains {
                $0.hasSuffix(": odd=1: supervisord has no such option of a program")
            })
    }

    @Test(arguments: [
        ("nothing", "/s.conf:1: “nothing” stands in no section; expected [SECTION] first"),
        ("[program:a]\nodd", "/s.conf:2: “odd” is no option; expected NAME=VALUE"),
        ("[program:a]\n", "/s.conf:1: [program:a] has no command"),
        ("[program:a b]\ncommand=x\n", "/s.conf:1: “a b” is no name of a program"),
        ("[program:a]\ncommand='x\n", "/s.conf:2: an unterminated quote in “'x”"),
        (
            "[program:a]\ncommand=x %(ENV_NO)s\n",
            "/s.conf:2: %(ENV_NO)s: the variable NO is not set; set it for torpor import"
        ),
        (
            "[program:a]\ncommand=x %d\n",
            "/s.conf:2: a “%” that begins no %(NAME)s; a literal one is written %%"
        ),
        (
            "[program:a]\ncommand=x\nnumprocs=2\n",
            "/s.conf:1: process_name=: numprocs=2 needs process_name=; expected %(process_num)d in it"
        ),
        (
            "[program:a]\ncommand=x\nnumprocs=99999999999\n",
            "/s.conf:1: numprocs=: 99999999999 processes from 0 on; expected at most 10000 processes together"
        ),
        (
            "[program:a]\ncommand=x\nstartsecs=soon\n",
            "/s.conf:3: startsecs=: got “soon”; expected an integer"
        ),
        (
            "[program:a]\ncommand=x\nenvironment=A\n",
            "/s.conf:3: environment=: “A” is no assignment; expected KEY=\"value\",KEY2=\"value2\""
        ),
        ("[group:g]\nprograms=a\n", "/s.conf:2: programs=: the program “a” is not defined"),
    ])
    func `bad input is refused in one line`(_ text: String, _ problem: String) {
        let imported = Imported(["/s.conf": text], as: .supervisord)
        #expect(imported.problems == [problem])
    }
}
