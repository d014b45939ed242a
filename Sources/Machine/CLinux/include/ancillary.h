/// Ancillary data of Unix sockets (unix(7), cmsg(3)): Swift imports none of the CMSG_* macros.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

/// The most descriptors that one message carries: the kernel's SCM_MAX_FD.
enum { TORPOR_MAX_DESCRIPTORS = 253 };

/// What came along with a datagram.
struct torpor_datagram {
    /// The length of the whole datagram, even if the buffer was shorter.
    size_t length;
    /// Control data was cut off (MSG_CTRUNC), because descriptors could not be installed for example.
    bool control_truncated;
    bool has_credentials;
    pid_t pid;
    uid_t uid;
    gid_t gid;
    /// A pidfd of the sender, or negative.
    int pidfd;
    /// The kernel tells pidfds of senders: without one, the sender has been reaped.
    bool tells_pidfd;
    /// The descriptors received, all the receiver's to close, all closed on exec.
    size_t descriptor_count;
    int descriptors[TORPOR_MAX_DESCRIPTORS];
};

/// Receives one datagram without waiting: 0, or -errno and nothing to close.
int torpor_datagram_receive(int socket, void *buffer, size_t capacity, struct torpor_datagram *datagram);

/// Sends one datagram without waiting, with descriptors, to an address whose sun_path is `path`: 0 or -errno.
int torpor_datagram_send(int socket, const void *path, size_t path_length, const void *bytes, size_t length,
                         const int *descriptors, size_t descriptor_count);

/// Binds a Unix socket to an address whose sun_path is `path`, which is not NUL-terminated: 0 or -errno.
int torpor_unix_bind(int socket, const void *path, size_t path_length);

/// Connects a Unix socket to an address whose sun_path is `path`, which is not NUL-terminated: 0 or -errno.
int torpor_unix_connect(int socket, const void *path, size_t path_length);

/// Asks for a pidfd of the sender with every message (SO_PASSPIDFD, Linux 6.5): 0, or -ENOPROTOOPT on older
/// kernels.
int torpor_unix_pass_pidfd(int socket);

/// Refuses descriptors that peers would send along (SO_PASSRIGHTS, Linux 6.16), also on what is accepted from a listener: 0 or
/// -errno.
int torpor_unix_refuse_rights(int socket);

/// A pidfd of the process that made the connection (SO_PEERPIDFD, Linux 6.5), or -errno.
int torpor_unix_peer_pidfd(int socket);

/// Receives from a stream without waiting, with the descriptors that came along, which are the receiver's to close: the length, or
/// -errno.
ssize_t torpor_stream_receive(int socket, void *buffer, size_t capacity, struct torpor_datagram *message);

/// Whether two descriptors of ours are one open file description (kcmp(2)): 1 or 0, or -errno.
int torpor_same_description(int a, int b);
