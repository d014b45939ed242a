extension TransferEnd {
    /// What came of it, as a clause.
    package var words: String {
        let how =
            switch status {
            case .exited(let code): "exit status \(code)"
            case .killed(let signal): "signal \(signal)"
            case .notStarted: lines.last.map { "not started: \($0)" } ?? "not started"
            case .unknown: "its exit status is unknown"
            }
        var words =
            switch outcome {
            case .completed: "completed"
            case .failed: "failed: \(how)"
            case .cancelled: "cancelled (\(how))"
            case .timeLimit: "ended at its time limit (\(how))"
            case .memoryLimit: "ended at its memory limit (\(how))"
            case .shutdown: "ended with all workers (\(how))"
            case .lost: "lost: torpor-transfer(8) was killed, so \(how)"
            }
        if leftovers > 0 {
            words += "; \(leftovers) remaining \(leftovers == 1 ? "process was" : "processes were") ended"
        }
        return words
    }
}

extension TransferRefusal {
    /// What is in the way, and what to do about it.
    package var sentence: String {
        switch self {
        case .tooMany(let most):
            "\(most) of its transfers are running, the maximum (TransfersMax=); try again when one has ended"
        case .tooManyInAll(let most):
            "\(most) transfers are running, the maximum for all workers (TransfersMax= in torpord.conf); try again when one has ended"
        case .tooManyUntold(let most):
            "\(most) of its transfers have ended and the worker has not been told: launch it, or drop them with 'torpor transfer --cancel'"
        case .noSuch(let number): "it has no transfer \(number)"
        case .ended(let number): "transfer \(number) has ended"
        }
    }
}
