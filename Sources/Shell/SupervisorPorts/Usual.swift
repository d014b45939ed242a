/// A part that most of thousands leave at its defaults: all that do share one place for it.
///
/// A copy has a place of its own as soon as one of both is changed.
@propertyWrapper package struct Usual<Value> {
    /// Where a value lies.
    package final class Place {
        fileprivate var value: Value

        /// The place of the defaults, which all share.
        package init(_ value: Value) { self.value = value }
    }

    private var place: Place

    /// The defaults, as they lie in `place`.
    package init(_ place: Place) { self.place = place }

    package var wrappedValue: Value {
        _read { yield place.value }
        _modify {
            if !isKnownUniquelyReferenced(&place) { place = Place(place.value) }
            yield &place.value
        }
    }
}

extension Usual: Sendable where Value: Sendable {}
// Unchecked: it is changed only through its one reference.
extension Usual.Place: @unchecked Sendable where Value: Sendable {}

extension Usual: Equatable where Value: Equatable {
    package static func == (a: Self, b: Self) -> Bool {
        a.place === b.place || a.place.value == b.place.value
    }
}

extension Usual: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) { hasher.combine(place.value) }
}
