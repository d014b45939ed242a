import ArgumentParser

extension CompletionKind {
    /// Names of workers, as the supervisor that answers tells them; none where no supervisor does.
    static var workers: CompletionKind {
        .shellCommand("torpor list --no-legend --quiet 2>/dev/null | awk '{ print $1 }'")
    }
}
