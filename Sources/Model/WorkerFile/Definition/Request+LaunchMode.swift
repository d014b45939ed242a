package import Lifecycle

extension Request {
    /// What `Launch=` asks for when the supervisor starts; nil for a worker that waits until it is wanted.
    package init?(atBoot mode: LaunchMode) {
        switch mode {
        case .boot: self.init(.active, by: .supervisor, reason: .boot)
        case .bootBackground: self.init(.background, by: .supervisor, reason: .boot)
        case .prelaunch: self.init(.suspended, by: .supervisor, reason: .prelaunch)
        case .onDemand: return nil
        }
    }
}
