import Foundation
import Linux
import Testing

/// What a test got instead of what it needs to go on.
struct Unexpected: Error {
    let found: String
}
