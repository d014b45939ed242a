import ConfigurationSyntax
import Importing
import TestSupport
import Testing

@Suite struct `A compose file` {
    private func web(_ service: String, _ files: [String: String?] = [:], environment: [String: String] = [:])
        -> Imported
    {
        let lines = service.split(separator: "\n").map { "    \($0)\n" }.joined()
        return Imported(
            files.merging(["/c/compose.yaml": "services:\n  web:\n    command: /bin/web\n" + lines]) { $1 },
            ["/c/compose.yaml"], environment: environment)
    }

    @Test func `has a worker for each service with a command`() {
        let imported = web("")
        #expect(
            imported.settings("web") == [
                "ExecStart=/bin/web", "Launch=boot", "TimeoutStopSec=10s", "Restart=no",
            ])
        let none = Imported(["/c/compose.yaml": "services:\n  web:\n    image: nginx\n"])
        #expect(
            none.names.isEmpty
                && none.notes() == ["/c/compose.yaml:2: web:: its command is in its image; give it command:"])
    }

    @Test(arguments: [
        ("entrypoint: [/bin/sh, -c]", ["ExecStart=/bin/sh -c /bin/web"]),
        ("working_dir: /srv/a b", ["WorkingDirectory=/srv/a b"]),
        ("user: \"1000:www\"", ["User=1000", "Group=www"]), ("stop_signal: SIGINT", ["KillSignal=SIGINT"]),
        ("stop_grace_period: 1m30s", ["TimeoutStopSec=1min 30s"]),
        ("restart: always", ["Restart=always", "StartLimitIntervalSec=0"]),
        ("restart: on-failure:3", ["Restart=on-failure", "StartLimitBurst=4", "StartLimitIntervalSec=1d"]),
        (
            "environment: {A: 1, B: 'x y', C: $$x}",
            ["Environment=A=1", "Environment=\"B=x y\"", "Environment=\"C=$x\""]
        ),
        ("environment:\n  - A=1\n  - PASSED", ["Environment=A=1", "PassEnvironment=PASSED"]),
        ("environment: [\"A=${NAME}-${NONE:-d}${NAME:+s}\"]", ["Environment=A=value-ds"]),
        (
            "ulimits: {nproc: 100, nofile: {soft: 10, hard: 20}, core: -1}",
            ["LimitNPROC=100", "LimitNOFILE=10:20", "LimitCORE=infinity"]
        ),
        ("mem_limit: 512m", ["MemoryMax=512M"]), ("pids_limit: 10", ["TasksMax=10"]),
        ("deploy: {resources: {limits: {memory: 1gb}}}", ["MemoryMax=1G"]),
        ("security_opt: [\"no-new-privileges:true\"]", ["NoNewPrivileges=yes"]),
        ("profiles: [debug]", ["Launch=on-demand"]),
        ("ports: [\"127.0.0.1:8080:80\"]", ["ListenStream=127.0.0.1:8080", "ForwardTo=80"]),
        ("ports:\n  - target: 80\n    published: \"8080\"", ["ListenStream=8080", "ForwardTo=80"]),
        ("group_add: [video, 100]", ["SupplementaryGroups=video", "SupplementaryGroups=100"]),
    ])
    func `a key becomes a directive`(_ text: String, _ expected: [String]) {
        let imported = web(text, environment: ["NAME": "value"])
        #expect(imported.problems.isEmpty, "\(imported.problems)")
        for line in expected {
            #expect(imported.settings("web").contains(line), "\(imported.settings("web"))")
        }
    }

    @Test func `services wait for each other, and merge what they share`() {
        let imported = Imported([
            "/c/compose.yaml": """
            x-base: &base
              command: /bin/x
              restart: always
            services:
              db:
                <<: *base
                restart: "no"
              web:
                <<: [*base]
                depends_on:
                  db: {condition: service_healthy}
                  cache: {required: false, condition: service_started}
              cache:
                <<: *base
              old:
                <<: *base
                depends_on: [web, none]
            """
        ])
        #expect(imported.names == ["db", "web", "cache", "old"])
        #expect(imported.settings("db").contains("Restart=no"))
        for line in ["Restart=always", "Requires=db", "After=db", "Wants=cache", "After=cache"] {
            #expect(imported.settings("web").contains(line))
        }
        #expect(imported.notes("old").contains { $0.contains("“none” is not among what is imported") })
    }

    @Test func `what others wait for to have succeeded is over when it has`() {
        let imported = Imported([
            "/c/compose.yaml": """
            services:
              web:
                command: /bin/web
                depends_on: {migrate: {condition: service_completed_successfully}}
              migrate:
                command: /bin/migrate
            """
        ])
        #expect(imported.settings("migrate").contains("Type=oneshot"))
        #expect(imported.settings("migrate").contains("StartLimitIntervalSec=0"))
        for line in ["Requires=migrate", "After=migrate"] { #expect(imported.settings("web").contains(line)) }
        #expect(imported.notes("web").isEmpty)
        #expect(imported.notes("migrate").contains { $0.contains("also after a crash of that one") })
    }

    @Test func `variables of files are replaced, values in quotes go on, and a name alone is that of .env`() {
        let files: [String: String?] = [
            "/c/a.env": "USER=me\nURL=db://${USER}@$HOST\nRAW='${USER}'\nKEY=\"one\ntwo\" # c\nLAST=1\n",
            "/c/.env": "HOST=here\nBOTH=${HOST}!\nAPI=secret\n",
        ]
        let read = web("env_file: a.env\nenvironment: [API, LANG, \"B=${BOTH}\"]", files).settings("web")
        for line in [
            "Environment=URL=db://me@here", "Environment=LAST=1", "Environment=API=secret",
            "PassEnvironment=LANG", "Environment=\"B=here!\"",
        ] {
            #expect(read.contains(line), "\(line) in \(read)")
        }
        #expect(
            read.contains { $0.hasPrefix("Environment=") && $0.contains("RAW=") && $0.contains("{USER}") })
        #expect(read.contains { $0.contains("KEY=one\\ntwo") }, "\(read)")
    }

    @Test func `a user that is not there is not root's, and no grace is no time`() {
        #expect(web("user: \":1000\"").settings("web").contains("Group=1000"))
        #expect(!web("user: \":1000\"").settings("web").contains { $0.hasPrefix("User=") })
        #expect(web("user: \"${NONE}:${NONE}\"").names.isEmpty)
        #expect(web("stop_grace_period: 0s").settings("web").contains("TimeoutStopSec=1ms"))
    }

    @Test func `files of variables stay files where the daemon reads the same`() {
        let files: [String: String?] = [
            "/c/a.env": "A=1\n# c\nB='x y'\n", "/c/b.env": "A=2 # c\n", "/c/.env": "FROM=dot\n",
        ]
        #expect(web("env_file: a.env", files).settings("web").contains("EnvironmentFile=/c/a.env"))
        let over = web("env_file: a.env\nenvironment: {A: 3, C: $FROM}", files).settings("web")
        for line in ["Environment=\"B=x y\"", "Environment=A=3", "Environment=C=dot"] {
            #expect(over.contains(line), "\(over)")
        }
        let both = web(
            "env_file: [a.env, {path: b.env, required: true}, {path: no.env, required: false}]", files
        ).settings("web")
        #expect(both.contains("Environment=A=2") && both.contains("Environment=\"B=x y\""))
    }

    @Test(arguments: [
        ("services:\n  web: x\n", "/c.yaml:2: web=: got no mapping; expected KEY: VALUE"),
        ("a: b\n", "/c.yaml: no services; expected services: with a mapping"),
        ("services: {a: {command: x, command: y}}\n", "/c.yaml:1: a=: the key “command” is there twice"),
        (
            "services: {a: {command: x, extends: b}}\n",
            "/c.yaml:1: extends=: other services are not extended; expected the output of 'docker compose config'"
        ),
        (
            "include: [a.yaml]\nservices: {}\n",
            "/c.yaml:1: include=: other files are not included; expected the output of 'docker compose config'"
        ),
        (
            "services: {a: {command: \"${NO:?say it}\"}}\n",
            "/c.yaml:1: command=: the variable NO is not set: say it"
        ),
        ("services: {a: {command: \"${NO\"}}\n", "/c.yaml:1: command=: an unterminated “${”"),
        (
            "services: {a: {command: x, restart: maybe}}\n",
            "/c.yaml:1: restart=: got “maybe”; expected no, always, unless-stopped or on-failure[:TIMES]"
        ),
        ("services:\n\ta: b\n", "/c.yaml:2: a tab where only spaces may stand"),
        ("services: [\n", "/c.yaml:1: an unterminated “[” or “{”"),
        ("services: *a\n", "/c.yaml:1: the alias “a” is not defined before"),
        ("a: 1\n---\nb: 2\n", "/c.yaml:2: a second document; give one file for each"),
        ("services: !reset {}\n", "/c.yaml:1: the tag “!reset” is not supported"),
    ])
    func `bad input is refused in one line`(_ text: String, _ problem: String) {
        #expect(Imported(["/c.yaml": text]).problems == [problem])
    }
}
