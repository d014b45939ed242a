package import SupervisorPorts

/// Hears of workers' memory: what acts on pressure.
package protocol MemoryObserver: AnyObject {
    func hear(_ fact: MemoryFact, of worker: WorkerID)
    /// A worker means something else to the policy of memory than before.
    func hear(_ change: Supervisor.EligibilityChange)
}
