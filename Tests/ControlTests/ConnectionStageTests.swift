import Testing

@testable import ControlServer

/// What a connection may still do, by its stage.
@Suite struct `The stage of a connection` {
    @Test(arguments: [
        (ConnectionStage.open, false, false, true, true),
        (.inputOver, true, false, true, true),
        (.leftBehind, false, true, false, true),
        (.drained, true, true, false, true),
        (.ending, true, false, false, false),
        (.closed, true, false, false, false),
    ])
    func `says what is read, sent and carried out`(
        _ stage: ConnectionStage, isInputOver: Bool, isPeerGone: Bool, takesAnswers: Bool, takesCalls: Bool
    ) {
        #expect(stage.isInputOver == isInputOver)
        #expect(stage.isPeerGone == isPeerGone)
        #expect(stage.takesAnswers == takesAnswers)
        #expect(stage.takesCalls == takesCalls)
    }

    @Test(arguments: [
        (ConnectionStage.open, ConnectionStage.inputOver, ConnectionStage.leftBehind),
        (.inputOver, .inputOver, .drained),
        (.leftBehind, .drained, .leftBehind),
        (.drained, .drained, .drained),
        (.ending, .ending, .drained),
        (.closed, .closed, .closed),
    ])
    func `goes on when its input ends and when its client is gone`(
        _ stage: ConnectionStage, afterInput: ConnectionStage, afterPeer: ConnectionStage
    ) {
        var stage = (input: stage, peer: stage)
        stage.input.inputEnds()
        stage.peer.peerCloses()
        #expect(stage.input == afterInput)
        #expect(stage.peer == afterPeer)
    }

    @Test(arguments: ConnectionStage.allCases)
    func `does not depend on which of both comes first`(_ stage: ConnectionStage) {
        var (first, second) = (stage, stage)
        first.inputEnds()
        first.peerCloses()
        second.peerCloses()
        second.inputEnds()
        #expect(first == second)
        #expect(first == .closed || first == .drained)
    }
}
