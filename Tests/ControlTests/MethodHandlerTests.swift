import ControlAPI
import Testing

@testable import OperatorService

@Suite struct `The operators' service` {
    @Test func `carries out every method of the interface and no other`() {
        #expect(Set(OperatorService.handlers.keys) == Set(SupervisorInterface.methods.map { $0.member }))
    }
}
