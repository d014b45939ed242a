/// A key that was pressed.
package enum Key: Hashable, Sendable {
    case character(Unicode.Scalar)
    case control(Unicode.Scalar)
    case enter, tab, backspace, escape
    case up, down, left, right, home, end, pageUp, pageDown, delete
    /// A text that was pasted, without what would steer a terminal.
    case pasted(String)
    /// One that means nothing here.
    case other
}
