extension Account {
    /// The account as it was written.
    package var spelling: String {
        switch self {
        case .name(let name): name
        case .id(let id): "\(id)"
        }
    }
}

extension Command.Word {
    /// The word with its variables still to be filled in.
    package var spelling: String {
        switch self {
        case .split(let variable): "$" + variable
        case .argument(let pieces): pieces.map(\.spelling).joined()
        }
    }
}

extension Command.Piece {
    fileprivate var spelling: String {
        switch self {
        case .text(let text): text
        case .variable(let name): "${\(name)}"
        case .marker(let letter): "%\(Character(UnicodeScalar(letter)))"
        }
    }
}
