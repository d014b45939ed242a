import Linux
import Supervisor
import SystemEvents
import Testing

@Suite struct `What a path depends on` {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let path: String
        let steps: [PathChain.Step]
        let target: String?

        init(_ name: String, _ path: String, _ steps: [PathChain.Step], _ target: String?) {
            (self.name, self.path, self.steps, self.target) = (name, path, steps, target)
        }
        var testDescription: String { name }
    }

    static let tree: [String: PathEntry] = [
        "/etc": .directory, "/etc/app": .directory, "/etc/app/conf": .file, "/etc/link": .link("app/conf"),
        "/etc/far": .link("/srv/real"), "/srv": .directory, "/srv/real": .file, "/loop": .link("loop"),
        "/etc/up": .link("../srv/./real"), "/etc/gone": .link("nowhere"), "/run": .link("/srv"),
        // A mounted config map.
        "/map": .directory, "/map/key": .link("..data/key"), "/map/..data": .link("..2026_1"),
        "/map/..2026_1": .directory, "/map/..2026_1/key": .file,
    ]

    typealias Step = PathChain.Step
    static let cases: [Case] = [
        Case(
            "a file", "/etc/app/conf",
            [Step("/etc", .passed), Step("/etc/app", .passed), Step("/etc/app/conf", .file)], "/etc/app/conf"),
        Case("a directory", "/etc/app/", [Step("/etc", .passed), Step("/etc/app", .directory)], "/etc/app"),
        Case("the root", "/", [Step("/", .directory)], "/"),
        Case(
            "a relative link", "/etc/link",
            [
                Step("/etc", .passed), Step("/etc/link", .passed), Step("/etc/app", .passed),
                Step("/etc/app/conf", .file),
            ], "/etc/app/conf"),
        Case(
            "an absolute link", "/etc/far",
            [
                Step("/etc", .passed), Step("/etc/far", .passed), Step("/srv", .passed),
                Step("/srv/real", .file),
            ], "/srv/real"),
        Case(
            "a link upwards", "/etc/up",
            [
                Step("/etc", .passed), Step("/etc/up", .passed), Step("/srv", .passed),
                Step("/srv/real", .file),
            ], "/srv/real"),
        Case(
            "a directory that is a link", "/run/real",
            [Step("/run", .passed), Step("/srv", .passed), Step("/srv/real", .file)], "/srv/real"),
        Case(
            "a key of a config map", "/map/key",
            [
                Step("/map", .passed), Step("/map/key", .passed), Step("/map/..data", .passed),
                Step("/map/..2026_1", .passed), Step("/map/..2026_1/key", .file),
            ], "/map/..2026_1/key"),
        Case(
            "a missing file", "/etc/app/other",
            [
                Step("/etc", .passed), Step("/etc/app", .passed), Step("/etc/app", .awaits("other")),
                Step("/etc", .loses("app")),
            ], nil),
        Case("a missing directory", "/opt/a/b", [Step("/", .awaits("opt"))], nil),
        Case(
            "a link into nothing", "/etc/gone",
            [
                Step("/etc", .passed), Step("/etc/gone", .passed), Step("/etc", .awaits("nowhere")),
                Step("/", .loses("etc")),
            ], nil),
        Case(
            "a path through a file", "/srv/real/below",
            [Step("/srv", .passed), Step("/srv/real", .passed)], nil),
        Case("a link to itself", "/loop", [Step("/loop", .passed)], nil),
    ]

    @Test(arguments: cases) func `is every directory and link on the way, and the file`(_ row: Case) {
        let chain = PathChain(row.path) { Self.tree[$0] ?? .missing }
        #expect(chain.steps == row.steps)
        #expect(chain.target == row.target)
    }
}
