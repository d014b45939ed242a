import Testing

@testable import ConfigurationSyntax
@testable import WorkerFile

@Suite struct `Names` {
    @Test func `have a prefix and an instance`() throws {
        let name = try WorkerName("web@a-b.worker")
        #expect(name.text == "web@a-b" && name.prefix == "web" && name.instance == "a-b" && !name.isTemplate)
        #expect(
            name.template?.text == "web@" && name.fileName == "web@a-b.worker"
                && name.groupName == "worker-web@a-b")
        let template = try WorkerName("web@")
        #expect(template.isTemplate && template.instance == nil && template.template == nil)
        #expect(try WorkerName("web").template == nil)
        #expect(try template.instance("42").text == "web@42")
        #expect(try template.instance("a b/c").text == "web@a\\x20b-c")
        #expect(throws: ValueError.self) { try WorkerName("web").instance("1") }
    }

    @Test(arguments: [
        "", ".worker", "@a", "@", "a b", "a/b", ".", "..", ".a", "é", "a\nb", "a\0", "a@@", "a@b@c", "a@b@",
        "cgroup.procs",
        "cgroup.kill", "memory.max", "memory.swap.max", "cpu.weight", "tasks", "\u{212A}",
        String(repeating: "a", count: 249),
    ])
    func `are refused when they cannot be a unit's`(_ text: String) {
        #expect(throws: ValueError.self) { try WorkerName(text) }
    }

    @Test(arguments: [
        "a", "-", "_", "a.b", "a:b", "a\\x20b", "io.torpor.Web", "memory", "memory.hog", "taskss", "9",
    ])
    func `are taken when they can`(_ text: String) throws {
        #expect(try WorkerName(text).text == text)
    }

    @Test(arguments: [
        ("a b/c-d.é@", "a\\x20b-c\\x2dd.\\xc3\\xa9\\x40"), (".x", "\\x2ex"), ("", ""), ("a_b:c", "a_b:c"),
        ("\\", "\\x5c"),
    ])
    func `are escaped as systemd-escape does it`(_ text: String, _ escaped: String) throws {
        #expect(Escaping.escape(text) == escaped)
        #expect(try Escaping.unescape(escaped) == text)
    }

    @Test func `paths are escaped without their outer slashes`() throws {
        #expect(try Escaping.escape(path: "/a//b/c/") == "a-b-c")
        #expect(try Escaping.escape(path: "/") == "-")
        #expect(throws: ValueError.self) { try Escaping.escape(path: "/a/../c") }
        for bad in ["a\\xzz", "a\\", "\\x", "\\x00", "\\xff", "\\y41"] {
            #expect(throws: ValueError.self) { try Escaping.unescape(bad) }
        }
    }

    @Test(arguments: [
        ("%n|%N|%p|%i|%I|%j|%f", "a-web@x-y|a-web@x-y|a-web|x-y|x/y|web|/x/y"),
        ("%t%S%C%L%E%T%V", "/run/var/lib/var/cache/var/log/etc/tmp/var/tmp"),
        ("%h %s %u %U %g %G", "/root /bin/sh root 0 wheel 0"),
        ("%H %l %m %b %v %a", "h.example h mid bid 6.1 x86-64"), ("100%%", "100%"),
        ("%%i", "%i"), ("", ""), ("%P %J", "a/web web"),
    ])
    func `specifiers are replaced`(_ text: String, _ expected: String) throws {
        var place = SpecifierContext.Place()
        (place.home, place.shell, place.user, place.uid, place.group, place.gid) = (
            "/root", "/bin/sh", "root", 0, "wheel", 0
        )
        (place.hostName, place.machineID, place.bootID) = ("h.example", "mid", "bid")
        (place.kernelRelease, place.architecture) = ("6.1", "x86-64")
        let context = SpecifierContext(worker: try WorkerName("a-web@x-y"), place: place)
        #expect(try context.expand(text) == expected)
    }

    @Test(arguments: ["%", "a%", "%q", "%é", "% n", "%h", "%m"])
    func `unknown specifiers are errors`(_ text: String) throws {
        let context = SpecifierContext(worker: try WorkerName("web"))
        #expect(throws: ValueError.self) { try context.expand(text) }
    }
}
