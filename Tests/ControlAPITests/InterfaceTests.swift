import Testing
import Varlink

@testable import ControlAPI

@Suite
struct `An interface` {
    @Test(arguments: DescribedInterface.all)
    func `is well-formed and served word for word`(_ interface: DescribedInterface) {
        let definition = interface.definition
        #expect(definition.name == interface.name)
        #expect(definition.description.hasPrefix(interface.beginning))
        #expect(definition.description.hasSuffix(")\n"))
        #expect(!definition.description.contains("\r"))
    }

    @Test(arguments: DescribedInterface.all)
    func `explains every type, method, error, field and value`(_ interface: DescribedInterface) {
        for entry in interface.definition.entries {
            #expect(!entry.documentation.isEmpty, "\(entry.name)")
            let fields: [InterfaceField] =
                switch entry.member {
                case .method(let method): method.input + method.output
                case .error(let fields), .type(.structure(let fields)): fields
                case .type(.enumeration(let values)):
                    values.map {
                        InterfaceField(name: $0.name, type: .string, documentation: $0.documentation)
                    }
                case .type: []
                }
            for field in fields { #expect(!field.documentation.isEmpty, "\(entry.name).\(field.name)") }
        }
    }

    /// `any` breaks older clients, and an enumeration of one value too.
    @Test(arguments: DescribedInterface.all)
    func `says nothing that breaks a client`(_ interface: DescribedInterface) {
        func check(_ type: InterfaceType) {
            switch type {
            case .any: Issue.record("any")
            case .enumeration(let values): #expect(values.count > 1)
            case .structure(let fields): for field in fields { check(field.type) }
            case .array(let type), .dictionary(let type), .nullable(let type): check(type)
            case .bool, .int, .float, .string, .object, .named: break
            }
        }
        for entry in interface.definition.entries {
            switch entry.member {
            case .type(let type): check(type)
            case .method(let method): check(.structure(method.input + method.output))
            case .error(let fields): check(.structure(fields))
            }
        }
    }

    @Test func `refuses a goal verb without names`() throws {
        let definition = SupervisorInterface.definition
        let method = try #require(definition.method("Suspend"))
        #expect(definition.firstInvalid([:], of: method.input) == "names")
        #expect(definition.firstInvalid(["names": "web"], of: method.input) == "names")
        #expect(definition.firstInvalid(["names": ["web"], "timeoutMS": 1], of: method.input) == "timeoutMS")
        #expect(definition.firstInvalid(["names": ["web"], "wait": nil], of: method.input) == nil)
    }

    /// A sentence that is nearly one of these leaves a method to operators, so nothing is opened by mistake.
    @Test func `opens the methods that say so`() {
        #expect(SupervisorInterface.open.contains(SupervisorInterface.List.name))
        #expect(!SupervisorInterface.open.contains(SupervisorInterface.Kill.name))
        #expect(
            SupervisorInterface.defining
                == [SupervisorInterface.BeginTransfer.name, SupervisorInterface.LaunchTransient.name])
        #expect(SupervisorInterface.open.isDisjoint(with: SupervisorInterface.defining))
    }
}
