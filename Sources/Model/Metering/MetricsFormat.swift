/// How metrics are written.
package enum MetricsFormat: String, Hashable, Sendable, CaseIterable {
    /// OpenMetrics 1.0.
    case openmetrics
    /// The older text format of Prometheus, 0.0.4, which knows no units, states or end.
    case prometheus

    /// As HTTP names it.
    var contentType: String {
        switch self {
        case .openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        }
    }
}
