internal import ConfigurationSyntax
internal import WorkerFile

/// Verbs of other supervisors, and what they are called here.
package enum ForeignVerbs {
    /// What to type instead of `verb`; nil where nothing is known of it.
    package static func advice(for verb: String) -> String? {
        let known = [
            "start":
                "'torpor launch NAME' starts a worker, 'torpor activate NAME' moves one to the foreground",
            "stop": "'torpor terminate NAME' stops a worker, 'torpor suspend NAME' puts it to sleep",
            "ps": "'torpor list' shows all workers",
            "log": "'torpor logs NAME' shows the output of a worker",
            "edit": "edit the file that 'torpor cat NAME' shows, then run 'torpor reload'",
            "enable": "set Launch=boot in the worker's file to launch it with the supervisor",
            "disable":
                "remove Launch= from the worker's file to not launch it with the supervisor; a link to /dev/null masks it",
            "mask": "replace the worker's file with a link to /dev/null, then run 'torpor reload'",
            "unmask":
                "remove the link to /dev/null that replaces the worker's file, then run 'torpor reload'",
            "exec":
                "'torpor run -- CMD' supervises a command here, 'torpor launch --transient -- CMD' runs it under the supervisor",
            "rm":
                "'torpor terminate NAME' stops a worker; to remove it, delete its file, then run 'torpor reload'",
        ]
        return known[same[verb] ?? verb] ?? synonyms[verb].map { "use 'torpor \($0)'" }
    }

    /// Other names for verbs that are explained.
    private static let same = ["remove": "rm", "delete": "rm", "del": "rm"]

    private static let synonyms = [
        "ls": "list", "jobs": "list", "list-units": "list", "is-active": "status NAME",
        "journal": "logs NAME", "tail": "logs -f NAME", "output": "logs NAME", "up": "launch NAME",
        "begin": "launch NAME", "run-worker": "launch NAME", "down": "terminate NAME",
        "quit": "terminate NAME",
        "end": "terminate NAME", "exit": "terminate NAME", "pause": "suspend NAME", "freeze": "suspend NAME",
        "sleep": "suspend NAME", "unpause": "resume NAME", "thaw": "resume NAME", "wake": "resume NAME",
        "continue": "resume NAME", "cont": "resume NAME", "foreground": "activate NAME",
        "fg": "activate NAME", "bg": "background NAME", "signal": "kill NAME", "stat": "status NAME",
        "show": "status NAME", "info": "status NAME", "inspect": "status NAME", "describe": "status NAME",
        "explain": "why NAME", "events": "watch", "monitor": "watch", "follow": "watch",
        "notify": "post NAME TOPIC", "daemon-reload": "reload", "reread": "reload", "update": "reload",
        "daemon-reexec": "reexec", "check": "verify FILE", "poweroff": "shutdown",
        "loglevel": "log-level", "version": "--version", "console": "attach NAME", "input": "send NAME TEXT",
        "systemd-run": "launch --transient -- CMD",
    ]

    /// The one of `verbs` that `word` is nearest to, where it is a slip of one or two letters.
    package static func nearest(to word: String, of verbs: [String]) -> String? {
        Spelling.nearest(to: word, of: verbs)
    }
}
