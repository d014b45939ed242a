internal import Lifecycle
internal import Varlink

/// URLs (2.1, 1.3): brought to a worker in the foreground, cold or warm.
extension Supervisor {
    /// Gives a URL to a worker, launched for it where it does not run; answers what became of it.
    ///
    /// A worker without a receiver gets it as an argument of a fresh launch, where its command asks for one; else it is
    /// refused.
    func open(_ url: String, with id: WorkerID, then answer: @escaping (DeliveryOutcome) -> Void) {
        guard let worker = workers[id] else { return answer(.refused(.notRunning)) }
        let isThere = worker.life.currentLaunch != nil && !worker.life.isEnding
        let receives =
            worker.life.receivedCallbacks.contains(.openURL)
            || (worker.life.policy.readiness == .app && (!isThere || worker.life.isLaunching))
        if receives {
            if !isThere { worker.nextLaunch.options = ["url": .string(url)] }
            let inbound = take(.url(url), .url, for: worker, then: answer)
            return submit(.woken(Wake(.url, intoForeground: true, bringing: inbound)), to: worker)
        }
        guard worker.blueprint.takesURL, !isThere else { return answer(.refused(.noReceiver)) }
        worker.nextLaunch = LaunchDetails(options: ["url": .string(url)], url: url)
        submitWish(.woken(Wake(.url, intoForeground: true)), to: worker, for: .active) { outcome in
            switch outcome {
            case .reached: answer(.taken)
            case .refused(let refusal): answer(.refused(refusal))
            case .ended, .replaced, .held, .stuck: answer(.refused(.ended))
            }
        }
    }
}
