/// What a relay does with sockets and pipes, and how it gives up what it does not need.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// What epoll_wait(2) tells of one descriptor.
struct torpor_relay_event {
    uint32_t events;
    uint64_t number;
};

/// The room for any address.
enum { TORPOR_RELAY_ADDRESS = 128 };

/// Adds a descriptor to an epoll instance (`operation` 1), takes it out (2) or changes what is waited for (3): 0 or -errno.
int torpor_relay_watch(int epoll, int operation, int descriptor, uint32_t events, uint64_t number);

/// epoll_wait(2) with a time in milliseconds, -1 without: how many events, or -errno.
int torpor_relay_wait(int epoll, struct torpor_relay_event *events, int room, int timeout);

/// accept4(2), close-on-exec and non-blocking, for a peer that may be silent for long (TCP_NODELAY, SO_KEEPALIVE): the new socket, or
/// -errno.
///
/// `waits` is a listener whose accept4(2) would wait, and has to stay so for the process that it is shared with: it is given up after 10 ms,
/// by SIGALRM.
int torpor_relay_accept(int listener, int waits);

/// Whether calls on it wait, as O_NONBLOCK tells: 1 or 0, or -errno.
int torpor_relay_waits(int descriptor);

/// Keeps calls on it from waiting: 0 or -errno.
int torpor_relay_never_wait(int descriptor);

/// The address of a socket, or of its peer: its length, or -errno.
int torpor_relay_address(int socket, int of_peer, void *address);

/// Whether the socket listens: 1 or 0, or -errno.
int torpor_relay_listens(int socket);

/// Begins a connection to `target`, from `source` where its length is not 0: the socket, or -errno.
int torpor_relay_connect(const void *source, uint32_t source_length, const void *target, uint32_t target_length);

/// What became of a connection that was begun (SO_ERROR): 0 or -errno.
int torpor_relay_outcome(int socket);

/// A pipe, close-on-exec and non-blocking: 0 or -errno.
int torpor_relay_pipe(int ends[2]);

/// splice(2) without waiting: how many bytes, 0 at the end, or -errno.
ssize_t torpor_relay_splice(int from, int to, size_t count);

/// recv(2) without waiting, `peeks` leaves the bytes there: how many, 0 at the end, or -errno.
ssize_t torpor_relay_receive(int socket, void *bytes, size_t room, int peeks);

/// send(2) without waiting or SIGPIPE: how many bytes, or -errno.
ssize_t torpor_relay_send(int socket, const void *bytes, size_t count);

/// write(2): how many bytes, or -errno.
ssize_t torpor_relay_write(int pipe, const void *bytes, size_t count);

/// Tells the peer that nothing more comes (shutdown(2)): 0 or -errno.
int torpor_relay_end(int socket);

/// close(2), which tells the peer of a broken connection (RST) and drops what was not sent.
void torpor_relay_reset(int socket);

/// Sends a message over a socket of SOCK_SEQPACKET without waiting: 0 or -errno.
int torpor_relay_tell(int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count);

/// Asks sock_diag(7) for the backlog of the TCP socket that would take a connection to `target`: 0 with both numbers, -ENOENT where none
/// listens there, or another -errno. Waits for no process.
int torpor_relay_queue(int diag, const void *target, uint32_t target_length, uint32_t *length, uint32_t *limit);

/// A descriptor that tells of SIGTERM and SIGINT, which do not end us from now on; SIGPIPE is ignored. Or -errno.
int torpor_relay_signals(void);

/// Gives up what a relay does not need: another user where we are root, capabilities, new privileges, core dumps, being traced by others: 0
/// or -errno.
int torpor_relay_confine(uid_t user, gid_t group);

/// Allows only the system calls that a relay makes from now on (seccomp(2)); others fail with EPERM. 0 or -errno.
int torpor_relay_filter(void);
