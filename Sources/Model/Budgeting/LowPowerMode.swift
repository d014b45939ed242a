/// Low-power mode (1.4), on battery below a threshold or by an operator's choice: budgets of wakes shrink, and fetches stop.
///
/// It is on by itself from the threshold down, and off again on mains, or when the batteries are a quarter above the threshold.
package struct LowPowerMode: Hashable, Sendable {
    /// What an operator has chosen.
    package enum Choice: String, Hashable, Sendable, CaseIterable {
        /// As the batteries are.
        case auto
        /// On.
        case on
        /// Off.
        case off
    }

    /// What has happened.
    package enum Event: Hashable, Sendable {
        /// An operator chooses.
        case chosen(Choice)
        /// The supplies of power were looked at.
        case read(PowerReading)
        /// The threshold has changed, in percent; 0 is never.
        case threshold(Int)
    }

    /// The threshold of a torpord.conf that says nothing: 20 %.
    package static let usualThreshold = 20

    package private(set) var choice = Choice.auto
    /// The charge from which on down it is on, in percent; 0 is never.
    package private(set) var threshold: Int
    /// By what the machine was powered when that was looked at last; nil before.
    package private(set) var power: PowerReading?
    /// The batteries are low, or were for a predecessor.
    private var isLow = false

    /// Off, with the choice left to the batteries.
    package init(threshold: Int = Self.usualThreshold) {
        self.threshold = threshold
    }

    // MARK: what a successor goes on with

    /// What a successor reads by ``init(_:threshold:)``: the choice, and `low` where the batteries are.
    package var text: String { choice.rawValue + (isLow ? " low" : "") + "\n" }

    /// Goes on where a predecessor has left it; nil for what none has written.
    package init?(_ text: String, threshold: Int) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard (1...2).contains(words.count), let choice = Choice(rawValue: String(words[0])),
            words.count == 1 || words[1] == "low"
        else { return nil }
        self.init(threshold: threshold)
        (self.choice, isLow) = (choice, words.count == 2)
    }

    /// Whether it is as it begins, so that a successor need not be told.
    package var isUsual: Bool { choice == .auto && !isLow }

    /// Whether it is on.
    package var isOn: Bool {
        switch choice {
        case .auto: isLow
        case .on: true
        case .off: false
        }
    }

    /// Applies `event`; whether it is on now, and was not, or the other way round.
    package mutating func handle(_ event: Event) -> Bool {
        let wasOn = isOn
        switch event {
        case .chosen(let choice): self.choice = choice
        case .read(let reading): power = reading
        case .threshold(let percent): threshold = percent
        }
        judge()
        return isOn != wasOn
    }

    /// Between the threshold and a quarter above it, and where no battery tells its charge, it stays as it is.
    private mutating func judge() {
        guard threshold > 0 else {
            isLow = false
            return
        }
        guard let power else { return }
        guard power.isOnBattery else {
            isLow = false
            return
        }
        guard let charge = power.charge else { return }
        if charge <= threshold {
            isLow = true
        } else if charge * 4 >= threshold * 5 {
            isLow = false
        }
    }

    /// Why it is on or off, in a clause.
    package var because: String {
        let charge = power?.charge.map { "at \($0) %" } ?? "at an unknown charge"
        return switch choice {
        case .on: "an operator switched it on"
        case .off: "an operator switched it off"
        case .auto where threshold == 0: "LowPowerBelow= is 0%"
        case .auto where power == nil: "the supplies of power are being looked at"
        case .auto where power?.hasBattery == false: "the machine has no battery"
        case .auto where power?.isOnBattery == false: "the machine is on mains"
        case .auto where isLow:
            "the battery is \(charge); it ends on mains"
                + (threshold * 5 / 4 < 100 ? ", or above \(threshold * 5 / 4) %" : "")
        case .auto: "the battery is \(charge); it begins at \(threshold) % (LowPowerBelow=)"
        }
    }
}
