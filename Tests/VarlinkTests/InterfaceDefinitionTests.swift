import TestSupport
import Testing

@testable import Varlink

@Suite
struct `An interface description` {
    static let sample = """
        # About this interface,
        # in two lines.
        interface org.example.more-x

        # A stray comment.

        # What it is.
        type Thing (
          # Its name.
          name: string,
          kind: (big, small), # behind
          size: ?int,
          parts: []Thing,
          by_name: [string](x: float, y: float),
          set: [string](),
          options: ?[]?object,
          anything: any
        )
        type Kind (one, two)
        type Empty ()

        # Does it.
        method Do(thing: Thing, kind: ?Kind) -> (done: bool)
        method Nothing()->()
        error Failed (why: string)
        error Bare ()
        """

    @Test func `is read with all its parts`() throws {
        let interface = try InterfaceDefinition(description: Self.sample)
        #expect(interface.name == "org.example.more-x")
        #expect(interface.documentation == "About this interface,\nin two lines.")
        #expect(interface.description == Self.sample)
        #expect(interface.methods == ["Do", "Nothing"])
        #expect(interface.errors == ["Failed", "Bare"])
        #expect(interface.entries[0].documentation == "What it is.")
        #expect(interface.type("Kind") == .enumeration(["one", "two"]))
        #expect(interface.type("Empty") == .structure([]))
        #expect(interface.error("Failed") == [InterfaceField(name: "why", type: .string)])
        #expect(interface.method("Nothing") == .init(input: [], output: []))
        #expect(interface.method("Failed") == nil)
        let point = InterfaceType.structure([
            InterfaceField(name: "x", type: .float), InterfaceField(name: "y", type: .float),
        ])
        #expect(
            interface.type("Thing")
                == .structure([
                    InterfaceField(name: "name", type: .string, documentation: "Its name."),
                    InterfaceField(name: "kind", type: .enumeration(["big", "small"])),
                    InterfaceField(name: "size", type: .nullable(.int), documentation: "behind"),
                    InterfaceField(name: "parts", type: .array(.named("Thing"))),
                    InterfaceField(name: "by_name", type: .dictionary(point)),
                    InterfaceField(name: "set", type: .dictionary(.structure([]))),
                    InterfaceField(name: "options", type: .nullable(.array(.nullable(.object)))),
                    InterfaceField(name: "anything", type: .any),
                ]))
    }

    struct Bad: CustomTestStringConvertible, Sendable {
        let text: String, line: Int
        init(_ text: String, line: Int = 2) {
            self.text = text
            self.line = line
        }
        var testDescription: String { text }
    }

    @Test(arguments: [
        Bad("", line: 1), Bad("interface", line: 1), Bad("interface nodots", line: 1),
        Bad("interface 1.b", line: 1), Bad("interface a.b-", line: 1), Bad("interface a..b", line: 1),
        Bad("garbage interface a.b", line: 1), Bad("interface a.b garbage", line: 1),
        Bad("interface a.b\ntype lower ()"), Bad("interface a.b\ntype A_b ()"), Bad("interface a.b\ntype A"),
        Bad("interface a.b\ntype A string"), Bad("interface a.b\ntype A (x)y"),
        Bad("interface a.b\ntype A (x: int,)"), Bad("interface a.b\ntype A (,)"),
        Bad("interface a.b\ntype A (x: int y: int)"), Bad("interface a.b\ntype A (x: int, y)"),
        Bad("interface a.b\ntype A (x, y: int)"), Bad("interface a.b\ntype A (x: int, x: int)"),
        Bad("interface a.b\ntype A (x, x)"), Bad("interface a.b\ntype A (_x: int)"),
        Bad("interface a.b\ntype A (x_: int)"), Bad("interface a.b\ntype A (x__y: int)"),
        Bad("interface a.b\ntype A (x: ??int)"), Bad("interface a.b\ntype A (x: [int]int)"),
        Bad("interface a.b\ntype A (x: [)"), Bad("interface a.b\ntype A (x: integer)"),
        Bad("interface a.b\ntype A (x: Missing)"), Bad("interface a.b\nmethod M()"),
        Bad("interface a.b\nmethod M() -> int"), Bad("interface a.b\nmethod M(a, b) -> ()"),
        Bad("interface a.b\nmethod M() - > ()"), Bad("interface a.b\nerror E (a, b)"),
        Bad("interface a.b\ntype A ()\nmethod A() -> ()", line: 3), Bad("interface a.b\n$"),
        Bad("interface a.b\nmethod M(e: E) -> ()\nerror E ()"),
        Bad("interface a.b\ntype A (x: \(String(repeating: "[]", count: 100))int)"),
        Bad("interface a.b\ntype A (x: \(String(repeating: "(y: ", count: 100_000))"),
    ])
    func `is refused with the line of its first fault`(_ row: Bad) {
        #expect { try InterfaceDefinition(description: row.text) } throws: {
            ($0 as? InterfaceDefinition.Fault)?.line == row.line
        }
    }

    @Test func `is refused or read, never worse, when it is cut anywhere`() {
        let bytes = Array(Self.sample.utf8)
        for cut in 0..<bytes.count {
            _ = try? InterfaceDefinition(description: String(decoding: bytes[..<cut], as: UTF8.self))
            let tail = String(decoding: bytes[cut...], as: UTF8.self)
            _ = try? InterfaceDefinition(description: "interface a.b " + tail)
        }
    }

    struct Value: CustomTestStringConvertible, Sendable {
        let parameters: JSON.Object, path: String?
        init(_ parameters: JSON.Object, _ path: String? = nil) {
            self.parameters = parameters
            self.path = path
        }
        var testDescription: String { "\(JSON.object(parameters).text): \(path ?? "fits")" }
    }

    static let thing: JSON = [
        "name": "a", "kind": "big", "parts": [], "by_name": ["p": ["x": 1, "y": 2.5]], "set": ["a": [:]],
        "anything": [1],
    ]

    static func thing(_ key: String, _ value: JSON?) -> Value {
        var object = thing.object ?? [:]
        object[key] = value
        return Value(["thing": .object(object)], "thing.\(key)")
    }

    @Test(arguments: [
        Value(["thing": thing]), Value(["thing": thing, "kind": nil]),
        Value(["thing": thing, "kind": "two"]),
        Value([:], "thing"), Value(["thing": nil], "thing"),
        Value(["thing": thing, "kind": "three"], "kind"),
        Value(["thing": thing, "other": 1], "other"), thing("name", 1), thing("name", nil),
        thing("kind", "huge"),
        thing("size", 1.0), thing("size", "1"), thing("parts", nil), thing("set", []), thing("extra", 1),
        thing("options", [:]),
        Value(["thing": ["name": "a", "kind": "big", "parts": [["name": 1]]]], "thing.parts[0].name"),
        Value(
            ["thing": ["name": "a", "kind": "big", "parts": [], "by_name": ["p": ["x": 1]]]],
            "thing.by_name.p.y"),
    ])
    func `tells which parameter does not fit`(_ row: Value) throws {
        let interface = try InterfaceDefinition(description: Self.sample)
        let fields = try #require(interface.method("Do")).input
        #expect(interface.firstInvalid(row.parameters, of: fields) == row.path)
    }
}

@Suite
struct `A service` {
    private let service: Service
    private let example: InterfaceDefinition

    init() throws {
        example = try InterfaceDefinition(
            description:
                "# Hello.\ninterface org.example.x\nmethod Do(n: ?int) -> ()\nmethod Watch() -> ()\nerror No ()\n"
        )
        service = Service(
            identity: .init(vendor: "v", product: "p", version: "1", url: "u"), interfaces: [example],
            requiringMore: ["org.example.x.Watch"])
    }

    private func route(_ method: String, _ parameters: JSON.Object = [:], _ mode: CallMode = .once)
        -> Service.Route
    {
        let id = Call.ID(sequence: 0, isOneway: false)
        return service.route(Call(id: id, method: method, parameters: parameters, mode: mode))
    }

    @Test func `tells about itself`() {
        #expect(
            route("org.varlink.service.GetInfo")
                == .reply([
                    "vendor": "v", "product": "p", "version": "1", "url": "u",
                    "interfaces": ["org.varlink.service", "org.example.x"],
                ]))
    }

    @Test func `serves descriptions word for word`() {
        let get = "org.varlink.service.GetInterfaceDescription"
        #expect(
            route(get, ["interface": "org.example.x"])
                == .reply(["description": .string(example.description)]))
        #expect(
            route(get, ["interface": "org.varlink.service"])
                == .reply(["description": .string(InterfaceDefinition.varlinkService.description)]))
        #expect(route(get, ["interface": "no.such"]) == .fail(.interfaceNotFound("no.such")))
        #expect(route(get) == .fail(.invalidParameter("interface")))
        #expect(route(get, ["interface": 5]) == .fail(.invalidParameter("interface")))
    }

    @Test func `routes what fits and answers the standard errors to the rest`() {
        #expect(route("org.example.x.Do", ["n": 5]) == .perform(interface: "org.example.x", method: "Do"))
        #expect(route("org.example.x.Do", ["n": "5"]) == .fail(.invalidParameter("n")))
        #expect(route("org.example.x.Do", ["m": 5]) == .fail(.invalidParameter("m")))
        #expect(route("org.example.x.Dont") == .fail(.methodNotFound("org.example.x.Dont")))
        #expect(route("org.example.x.No") == .fail(.methodNotFound("org.example.x.No")))
        #expect(route("org.example.y.Do") == .fail(.interfaceNotFound("org.example.y")))
        #expect(route("Do") == .fail(.interfaceNotFound("")))
        #expect(route("") == .fail(.interfaceNotFound("")))
        #expect(route("org.example.x.") == .fail(.methodNotFound("org.example.x.")))
        #expect(route("org.example.x.Watch") == .fail(.expectedMore))
        #expect(
            route("org.example.x.Watch", [:], .more) == .perform(interface: "org.example.x", method: "Watch"))
    }

    @Test func `describes the standard interface with every standard error`() {
        let standard = InterfaceDefinition.varlinkService
        #expect(standard.name == "org.varlink.service")
        for error in [
            MethodError.interfaceNotFound("a"), .methodNotFound("a"), .methodNotImplemented("a"),
            .invalidParameter("a"), .permissionDenied, .expectedMore,
        ] {
            let name = String(error.name.dropFirst("org.varlink.service.".count))
            #expect(
                standard.error(name).map { standard.firstInvalid(error.parameters, of: $0) } == .some(nil))
        }
    }
}
