internal import Relaying

/// One connection of a relay.
struct Relayed {
    /// How far it is.
    enum Stage: UInt8 {
        /// No connection: the place is free.
        case free
        /// It waits for the target.
        case waiting
        /// It is being connected.
        case connecting
        /// Bytes pass.
        case open
        /// It is sent a page.
        case answering
    }

    /// Not in the set of what is waited for.
    static let unwatched = UInt32.max

    var stage = Stage.free
    /// What a browser sends was judged, and is no request for a page.
    var isOther = false
    /// Told from those that had the place before.
    var generation: UInt32 = 0
    var client: Int32 = -1
    var server: Int32 = -1
    var pair = RelayedPair()
    var requestPipe: PipePool.Pipe?
    var responsePipe: PipePool.Pipe?
    /// What is waited for at both ends.
    var clientEvents = Relayed.unwatched
    var serverEvents = Relayed.unwatched
    /// When it began to wait, in milliseconds.
    var since: Int64 = 0

    /// The socket at `side`.
    func socket(_ side: RelayedPair.Side) -> Int32 { side == .client ? client : server }

    /// The pipe of what `side` sends.
    subscript(pipe side: RelayedPair.Side) -> PipePool.Pipe? {
        get { side == .client ? requestPipe : responsePipe }
        set { if side == .client { requestPipe = newValue } else { responsePipe = newValue } }
    }

    /// What is waited for at `side`.
    subscript(events side: RelayedPair.Side) -> UInt32 {
        get { side == .client ? clientEvents : serverEvents }
        set { if side == .client { clientEvents = newValue } else { serverEvents = newValue } }
    }
}

/// What an event of the relay's epoll instance belongs to, as the number that comes with it.
enum Watched {
    case control
    case signals
    case listener(Int32)
    case connection(slot: Int, generation: UInt32, RelayedPair.Side)

    private static let generations: UInt64 = (1 << 24) - 1

    init(_ number: UInt64) {
        switch number >> 60 {
        case 0: self = .control
        case 1: self = .signals
        case 2: self = .listener(Int32(truncatingIfNeeded: number))
        default:
            self = .connection(
                slot: Int(UInt32(truncatingIfNeeded: number)),
                generation: UInt32((number >> 32) & Self.generations),
                number >> 56 & 1 == 0 ? .client : .server)
        }
    }

    var number: UInt64 {
        switch self {
        case .control: 0
        case .signals: 1 << 60
        case .listener(let descriptor): 2 << 60 | UInt64(UInt32(bitPattern: descriptor))
        case .connection(let slot, let generation, let side):
            3 << 60 | UInt64(side.rawValue) << 56 | UInt64(generation) << 32 | UInt64(UInt32(slot))
        }
    }

    /// The generation after `generation`.
    static func next(_ generation: UInt32) -> UInt32 { (generation + 1) & UInt32(generations) }
}
