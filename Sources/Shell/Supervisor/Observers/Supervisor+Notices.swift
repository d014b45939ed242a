package import SupervisorPorts

/// The observers beyond the core.
extension Supervisor {
    struct PlacedObserver {
        let place: ObserverPlace
        weak var observer: (any NoticeObserver)?
    }

    /// Tells `observer` of everything that happens from now on, at its place; it is not kept alive for that.
    package func observe(as place: ObserverPlace, _ observer: any NoticeObserver) {
        let index = noticeObservers.firstIndex { $0.place > place } ?? noticeObservers.endIndex
        noticeObservers.insert(PlacedObserver(place: place, observer: observer), at: index)
    }

    package func notify(_ worker: Worker, _ notice: Notice) {
        for placed in noticeObservers { placed.observer?.hear(notice, of: worker.id) }
    }
}
