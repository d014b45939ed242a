/// A threshold that is left again only a quarter below it, so that nothing flaps.
struct Threshold: Hashable, Sendable {
    /// Whether the figure is past it.
    private(set) var isPassed = false

    /// Takes in a figure that is bad when it is high.
    mutating func take(_ figure: Double, highAt limit: Double) {
        if figure >= limit {
            isPassed = true
        } else if figure < limit * 0.75 {
            isPassed = false
        }
    }

    /// Takes in a figure that is bad when it is low.
    mutating func take(_ figure: Double, lowBelow limit: Double) {
        if figure < limit {
            isPassed = true
        } else if figure >= limit * 1.25 {
            isPassed = false
        }
    }

    /// It is past it: another source has said so.
    mutating func pass() { isPassed = true }
}
