/// What a key asks of the program around the screen.
package enum TopIntent: Hashable, Sendable {
    case quit
    /// Stop the program, as Ctrl-Z does.
    case stop
    /// Draw everything anew.
    case redraw
    case why(String)
    case status(String)
    case output(String)
    case steer(TopVerb, [String])
}
