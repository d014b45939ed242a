package import Continuing

/// What most of thousands have none of: room for it is made when there is one.
///
/// A copy has a room of its own as soon as one of both is changed.
@propertyWrapper package struct Apart<Value> {
    private final class Room {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var room: Room?

    package init() {}

    package init(wrappedValue: Value?) {
        room = wrappedValue.map(Room.init)
    }

    package var wrappedValue: Value? {
        get { room?.value }
        set { room = newValue.map(Room.init) }
    }
}

extension GivingPlan { package static let usual = Usual.Place(GivingPlan()) }
