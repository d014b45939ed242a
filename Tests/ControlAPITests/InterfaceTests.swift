import TestSupport
import Testing
import Varlink

@testable import ControlAPI

private typealias API = SupervisorInterface

@Suite
struct `The supervisor's interface` {
    private let definition = SupervisorInterface.definition

    @Test func `is well-formed and served word for word`() throws {
        #expect(definition.name == "io.torpor.Supervisor")
        #expect(definition.description.hasPrefix("# The control interface of the Torpor supervisor"))
        #expect(definition.description.hasSuffix(")\n"))
        #expect(!definition.description.contains("\r"))
    }

    @Test func `explains every type, method, error and field`() {
        for entry in definition.entries {
            #expect(!entry.documentation.isEmpty, "\(entry.name)")
            let fields: [InterfaceField] =
                switch entry.member {
                case .method(let method): method.input + method.output
                case .error(let fields), .type(.structure(let fields)): fields
                case .type: []
                }
            for field in fields { #expect(!field.documentation.isEmpty, "\(entry.name).\(field.name)") }
        }
    }

    /// `any` breaks older clients, and an enumeration of one value too.
    @Test func `says nothing that breaks a client`() {
        func check(_ type: InterfaceType) {
            switch type {
            case .any: Issue.record("any")
            case .enumeration(let values): #expect(values.count > 1)
            case .structure(let fields): for field in fields { check(field.type) }
            case .array(let type), .dictionary(let type), .nullable(let type): check(type)
            case .bool, .int, .float, .string, .object, .named: break
            }
        }
        for entry in definition.entries {
            switch entry.member {
            case .type(let type): check(type)
            case .method(let method): check(.structure(method.input + method.output))
            case .error(let fields): check(.structure(fields))
            }
        }
    }

    @Test func `has a Swift type for every method and no other`() {
        #expect(SupervisorInterface.methods.map { $0.member }.sorted() == definition.methods.sorted())
        let names = Set(SupervisorInterface.methods.map { $0.name })
        #expect(SupervisorInterface.requiringMore.isSubset(of: names))
        #expect(SupervisorInterface.open.isSubset(of: names))
    }

    @Test func `refuses a goal verb without names`() throws {
        let method = try #require(definition.method("Suspend"))
        #expect(definition.firstInvalid([:], of: method.input) == "names")
        #expect(definition.firstInvalid(["names": "web"], of: method.input) == "names")
        #expect(definition.firstInvalid(["names": ["web"], "timeoutMS": 1], of: method.input) == "timeoutMS")
        #expect(definition.firstInvalid(["names": ["web"], "wait": nil], of: method.input) == nil)
    }

    @Test func `has the values of the Swift enumerations`() {
        func check<E: CaseIterable & RawRepresentable>(_ type: E.Type) where E.RawValue == String {
            #expect(definition.type("\(type)") == .enumeration(E.allCases.map(\.rawValue)))
        }
        check(API.State.self)
        check(API.Goal.self)
        check(API.NotRunningReason.self)
        check(API.LaunchReason.self)
        check(API.FreezeMethod.self)
        check(API.HistoryKind.self)
        check(API.LogLevel.self)
    }

    @Test func `describes the errors as they are made`() {
        let errors: [MethodError] = [
            API.noSuchWorker(name: "a"), API.invalidName(name: "a/b", why: "slash"),
            API.workerMasked(name: "a", file: "/f"),
            API.badDefinition(name: "a", file: "/f", line: 3, key: "K", message: "m"),
            API.badDefinition(name: "a", file: nil, line: nil, key: nil, message: "m"),
            API.goalNotReached(name: "a", goal: .active, state: .background, why: "w"),
            API.refused(name: "a", why: "w"), API.alreadyExists(name: "a"), API.noSuchScheme(scheme: "x"),
            API.shuttingDown,
            API.tooManyConnections(limit: 1), API.slowReader(limit: 1),
        ]
        for error in errors {
            let name = String(error.name.dropFirst("io.torpor.Supervisor.".count))
            let fields = definition.error(name)
            #expect(fields.map { definition.firstInvalid(error.parameters, of: $0) } == .some(nil), "\(name)")
        }
        let made = Set(errors.map { String($0.name.dropFirst("io.torpor.Supervisor.".count)) })
        #expect(made == Set(definition.errors))
    }
}
