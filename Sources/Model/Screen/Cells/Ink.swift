/// How a cell is drawn.
///
/// Only what means something has a colour; what counts without colours is bold, reversed or underlined.
package struct Ink: Hashable, Sendable {
    /// The few colours that mean something.
    package enum Colour: UInt8, Hashable, Sendable, CaseIterable {
        case plain, good, bad, attention, asleep, faint
    }

    package var colour: Colour
    package var isBold: Bool
    package var isReversed: Bool
    package var isUnderlined: Bool

    package init(
        _ colour: Colour = .plain, bold: Bool = false, reversed: Bool = false, underlined: Bool = false
    ) {
        self.colour = colour
        (isBold, isReversed, isUnderlined) = (bold, reversed, underlined)
    }

    package static let plain = Ink()
    package static let bold = Ink(bold: true)
    package static let faint = Ink(.faint)
    package static let header = Ink(underlined: true)
    package static let attention = Ink(.attention, bold: true)
    package static let bad = Ink(.bad, bold: true)

    /// The same, as a line that is chosen.
    package var chosen: Ink {
        var ink = self
        ink.isReversed = true
        return ink
    }

    /// As ANSI's select graphic rendition, from whatever was before; without colours where `isColoured` is false.
    package func rendition(isColoured: Bool) -> String {
        var codes = "0"
        if isBold { codes += ";1" }
        if isUnderlined { codes += ";4" }
        if isReversed { codes += ";7" }
        if isColoured {
            switch colour {
            case .plain: break
            case .good: codes += ";32"
            case .bad: codes += ";31"
            case .attention: codes += ";33"
            case .asleep: codes += ";34"
            case .faint: codes += ";90"
            }
        }
        return "\u{1b}[\(codes)m"
    }
}
