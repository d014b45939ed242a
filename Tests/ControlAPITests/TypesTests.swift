import TestSupport
import Testing
import Varlink

@testable import ControlAPI

@Suite
struct `The Swift types of an interface` {
    @Test(arguments: DescribedInterface.all)
    func `survive the way through JSON and fit the description`(_ interface: DescribedInterface) throws {
        let definition = interface.definition
        let samples = try interface.samples()
        #expect(samples.map(\.member).sorted() == definition.methods.sorted())
        for sample in samples {
            let method = try #require(definition.method(sample.member))
            #expect(sample.readParameters == sample.parameters, "\(sample.member)")
            #expect(sample.readReplies == sample.replies, "\(sample.member)")
            #expect(sample.differences == [], "\(sample.member)")
            for (values, fields) in [(sample.parameters, method.input), (sample.replies, method.output)] {
                for value in values {
                    let object = try #require(value.object)
                    #expect(definition.firstInvalid(object, of: fields) == nil, "\(sample.member)")
                }
            }
        }
    }

    /// The samples are made from the methods: a type that no method has would not be tested.
    @Test(arguments: DescribedInterface.all)
    func `are all part of a method`(_ interface: DescribedInterface) throws {
        let definition = interface.definition
        var seen: Set<String> = []
        for sample in try interface.samples() {
            let method = try #require(definition.method(sample.member))
            for value in sample.parameters {
                collect(value, .structure(method.input), definition, sample.member + ">", &seen)
            }
            for value in sample.replies {
                collect(value, .structure(method.output), definition, sample.member + "<", &seen)
            }
        }
        var described: Set<String> = []
        for entry in definition.entries {
            switch entry.member {
            case .method(let method):
                described.formUnion(method.input.map { "\(entry.name)>.\($0.name)" })
                described.formUnion(method.output.map { "\(entry.name)<.\($0.name)" })
            case .type(.structure(let fields)):
                described.formUnion(fields.map { "\(entry.name).\($0.name)" })
            case .type, .error: break
            }
        }
        #expect(described.subtracting(seen) == [])
    }

    /// Notes `Type.field` for everything that is there in `value`.
    private func collect(
        _ value: JSON, _ type: InterfaceType, _ definition: InterfaceDefinition, _ owner: String,
        _ seen: inout Set<String>
    ) {
        switch (type, value) {
        case (.named(let name), _):
            if let type = definition.type(name) { collect(value, type, definition, name, &seen) }
        case (.nullable(let type), _): collect(value, type, definition, owner, &seen)
        case (.array(let type), .array(let elements)):
            for element in elements { collect(element, type, definition, owner, &seen) }
        case (.structure(let fields), .object(let object)):
            for field in fields {
                guard let value = object[field.name] else { continue }
                seen.insert("\(owner).\(field.name)")
                collect(value, field.type, definition, owner, &seen)
            }
        default: break
        }
    }

    @Test func `show nobody but operators what is secret`() throws {
        let redacted = Sample.status.redacted
        let text = try JSON(encoding: redacted).text
        #expect(try JSON(encoding: Sample.status).text.contains("secret"))
        #expect(!text.contains("secret"))
        #expect(redacted.commandLine == nil)
        #expect(redacted.environment == nil)
        #expect(redacted.launchOptions == nil)
        #expect(redacted.lastOutput == nil)
        #expect(redacted.lastTermination?.lastOutput == nil)
        var restored = redacted
        restored.commandLine = Sample.status.commandLine
        restored.environment = Sample.status.environment
        restored.launchOptions = Sample.status.launchOptions
        restored.lastOutput = Sample.status.lastOutput
        #expect(redacted.outputTo == nil)
        restored.outputTo = Sample.status.outputTo
        restored.launching = Sample.status.launching
        restored.fileProblem = Sample.status.fileProblem
        restored.lastTermination = Sample.status.lastTermination
        #expect(redacted.tasks.allSatisfy { $0.name.isEmpty && $0.by == nil })
        restored.tasks = Sample.status.tasks
        #expect(redacted.goalBy == nil && redacted.lastTermination?.requestedBy == nil)
        #expect(redacted.lastWake == .init(at: 1, reason: .path))
        #expect(redacted.hookFailures == [.init(callback: "didEnterBackground", at: 1)])
        #expect(redacted.because == nil && redacted.wouldChange == nil)
        restored.because = Sample.status.because
        restored.wouldChange = Sample.status.wouldChange
        restored.freezeFailure = Sample.status.freezeFailure
        restored.hookFailures = Sample.status.hookFailures
        restored.goalBy = Sample.status.goalBy
        restored.lastWake = Sample.status.lastWake
        #expect(restored == Sample.status)
    }

    @Test func `show nobody but operators who asked, or what could not be launched`() throws {
        var report = Sample.report.redacted
        #expect(try !JSON(encoding: report).text.contains("secret"))
        #expect(report.termination.requestedBy == nil && report.termination.lastOutput == nil)
        report.termination = Sample.termination
        #expect(report == Sample.report)
        var change = Sample.change.redacted
        #expect(change.uid == nil && change.pid == nil)
        (change.uid, change.pid) = (Sample.change.uid, Sample.change.pid)
        #expect(change == Sample.change)
        var entry = Sample.entry.redacted
        #expect(entry.requestedBy == nil && entry.message == "m")
        entry.requestedBy = Sample.caller
        #expect(entry == Sample.entry)
        for kind in SupervisorInterface.HistoryKind.allCases {
            entry.kind = kind
            let isHidden = [.launchFailed, .ended, .warned, .woken, .opened, .kept, .supervisor].contains(
                kind)
            #expect((entry.redacted.message == nil) == isHidden, "\(kind)")
        }
    }

    @Test func `are routed and answered over a connection`() throws {
        let service = Service(
            identity: .init(vendor: "Torpor", product: "torpord", version: "1", url: "https://torpor.io"),
            interfaces: [SupervisorInterface.definition], requiringMore: SupervisorInterface.requiringMore)
        var client = ClientConnection()
        var server = ServerConnection(slowReader: SupervisorInterface.slowReader(limit: 1))
        try client.call(
            SupervisorInterface.Suspend.name, encoding: SupervisorInterface.GoalParameters(names: ["web"]))
        client.call(SupervisorInterface.Watch.name)
        let calls = server.receive(client.takeOutput().span)
        #expect(
            calls.map { service.route($0) } == [
                .perform(interface: "io.torpor.Supervisor", method: "Suspend"), .fail(.expectedMore),
            ])
        let names = try JSON.object(calls[0].parameters).decode(SupervisorInterface.GoalParameters.self).names
        #expect(names == ["web"])
        try server.reply(to: calls[0].id, EncodedMessage(reply: Sample.goalReply))
        try server.fail(calls[1].id, .expectedMore)
        guard case .reply(_, let reply, false)? = client.receive(server.takeOutput().span).first else {
            Issue.record("no reply")
            return
        }
        #expect(try JSON.object(reply).decode(SupervisorInterface.GoalReply.self) == Sample.goalReply)
    }
}
