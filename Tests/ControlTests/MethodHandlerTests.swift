import ControlAPI
import Testing

@testable import CallbackService
@testable import OperatorService

@Suite struct `The table of methods` {
    @Test func `carries out every method for operators and no other`() {
        #expect(Set(OperatorService.handlers.keys) == Set(SupervisorInterface.methods.map { $0.member }))
    }

    @Test func `carries out every method for workers and no other`() {
        #expect(Set(WorkerService.handlers.keys) == Set(WorkerInterface.methods.map { $0.member }))
    }
}
