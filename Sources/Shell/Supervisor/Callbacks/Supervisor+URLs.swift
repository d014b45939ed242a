internal import Lifecycle
package import Notifications
package import SupervisorPorts
internal import Varlink

/// URLs (2.1, 1.3): brought to a worker in the foreground, cold or warm.
extension Supervisor {
    /// Gives a URL to a worker, launched for it where it does not run; answers what became of it.
    ///
    /// A worker without a receiver gets it as an argument of a fresh launch, where its command asks for one; else it is
    /// refused.
    package func open(
        _ url: String, with id: WorkerID, by caller: CallerIdentity? = nil,
        then answer: @escaping (DeliveryOutcome) -> Void
    ) {
        guard let worker = workers[id] else { return answer(.refused(.notRunning)) }
        if let caller { notify(worker, .opened(url, by: caller)) }
        var options: JSON.Object = ["url": .string(url)]
        options["sourceApplication"] = caller?.json
        let origin = WakeOrigin(.url, url, by: caller)
        let isThere = worker.life.currentLaunch != nil && !worker.life.isEnding
        let receives =
            worker.life.receivedCallbacks.contains(.openURL)
            || (worker.life.policy.readiness == .app && (!isThere || worker.life.isLaunching))
        if receives {
            if !isThere { worker.nextLaunch.options = options }
            let inbound = take(.url(url, source: caller?.json.object), .url, for: worker, then: answer)
            return rouse(worker, Wake(.url, intoForeground: true, bringing: inbound), origin)
        }
        guard worker.configuration.takesURL, !isThere else { return answer(.refused(.noReceiver)) }
        worker.nextLaunch = LaunchDetails(options: options, url: url)
        sayWoken(worker, origin)
        submitRequest(.woken(Wake(.url, intoForeground: true)), to: worker, for: .active) { outcome in
            switch outcome {
            case .reached: answer(.taken)
            case .refused(let refusal): answer(.refused(refusal))
            case .ended, .replaced, .held, .heldAbove, .stuck, .interrupted, .followersMissing:
                answer(.refused(.ended))
            }
        }
    }
}
