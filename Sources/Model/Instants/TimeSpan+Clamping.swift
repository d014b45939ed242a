extension TimeSpan {
    /// So many microseconds, or the extreme that a span can be; none where it is no number.
    public init(clamping microseconds: Double) {
        if let exact = Int64(exactly: microseconds.rounded(.towardZero)) {
            self.init(microseconds: exact)
        } else {
            self.init(microseconds: microseconds > 0 ? .max : microseconds < 0 ? .min : 0)
        }
    }
}
