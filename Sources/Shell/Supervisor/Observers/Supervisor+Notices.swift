package import SupervisorPorts

/// The observers beyond the core.
extension Supervisor {
    /// Tells `observer` of everything that happens from now on, at its place; it is not kept alive for that.
    package func observe(as place: ObserverPlace, _ observer: any NoticeObserver) {
        let index = noticeObservers.firstIndex { $0.place > place } ?? noticeObservers.endIndex
        noticeObservers.insert(PlacedObserver(place, observer), at: index)
    }

    package func notify(_ worker: Worker, _ notice: Notice) {
        let kind = notice.kind
        for placed in noticeObservers where placed.interest.contains(kind) {
            placed.observer?.hear(notice, of: worker.id)
        }
    }
}
