package import Linux
package import Processes

/// A notify message with its sender and its descriptors; those that are not taken out are closed with it.
package struct ReceivedNotification: ~Copyable, Sendable {
    /// What it says.
    package let message: NotifyMessage
    /// The sender, as the kernel vouches for it; the receiver judges whether that is a worker.
    package let sender: PeerCredentials
    /// A pidfd of the sender, where the kernel gives one.
    package var pidfd: OwnedDescriptor?
    /// Whether the kernel gives pidfds of senders: without one, the sender has been reaped.
    package let tellsPidfd: Bool
    /// The descriptors that came along, in order; meant for the store if `message.storage` says so, else to be
    /// closed.
    package var descriptors: DescriptorList

    /// The sender as it is to be judged, while this notification is there.
    package var peer: PeerProcess {
        switch pidfd {
        case .some(let pidfd): PeerProcess(sender, pidfd: pidfd.rawValue, tellsPidfd: tellsPidfd)
        case .none: PeerProcess(sender, tellsPidfd: tellsPidfd)
        }
    }
}

/// What became of one datagram at the notify socket.
package enum NotifyDelivery: ~Copyable, Sendable {
    /// A message, to be attributed to its sender.
    case message(ReceivedNotification)
    /// A barrier, which has been answered already.
    case barrier(from: PeerCredentials)
    /// Dropped whole, its descriptors closed.
    case dropped(NotifyDrop, from: PeerCredentials?)

    /// Judges a datagram by the rules of the protocol, before its sender is looked at.
    init(_ datagram: consuming Datagram) {
        let sender = datagram.credentials
        do throws(NotifyDrop) {
            guard !datagram.isControlTruncated else { throw NotifyDrop.truncatedControlData }
            guard let sender else { throw NotifyDrop.missingCredentials }
            guard datagram.length <= NotifyMessage.lengthLimit else {
                throw NotifyDrop.tooLong(bytes: datagram.length)
            }
            let message = try NotifyMessage(parsing: datagram.bytes)
            guard !message.isBarrier else {
                guard message.lineCount == 1 else { throw NotifyDrop.barrierNotAlone }
                let count = datagram.descriptors.count
                guard count == 1 else { throw NotifyDrop.barrierDescriptors(count: count) }
                // Closing it is the answer.
                datagram.descriptors.removeAll()
                self = .barrier(from: sender)
                return
            }
            var descriptors = DescriptorList()
            swap(&descriptors, &datagram.descriptors)
            self = .message(
                ReceivedNotification(
                    message: message, sender: sender, pidfd: datagram.pidfd.take(),
                    tellsPidfd: datagram.tellsPidfd, descriptors: descriptors))
        } catch {
            self = .dropped(error, from: sender)
        }
    }
}
