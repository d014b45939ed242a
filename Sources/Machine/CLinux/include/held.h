/// Sockets and FIFOs that are opened for another program (systemd.socket(5)).
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct torpor_held {
    /// AF_INET, AF_INET6 or AF_UNIX.
    int family;
    /// SOCK_STREAM, SOCK_DGRAM or SOCK_SEQPACKET.
    int type;
    /// Of IPv4 the first four bytes, in the order of the network.
    uint8_t address[16];
    uint16_t port;
    /// The interface of an IPv6 address; empty for none.
    char interface[16];
    /// Of a Unix socket: its path, or a NUL and its abstract name.
    const void *name;
    size_t name_length;
    /// IPV6_V6ONLY; -1 leaves the default.
    int v6_only;
    int free_bind, reuse_port;
};

/// Makes the socket and binds it, closed on exec, waiting as sockets do; it does not listen yet, and the file of a Unix socket is for its
/// owner alone. The socket, or -errno with the name of what failed in `call`.
int torpor_held_bind(const struct torpor_held *held, const char **call);

/// Gives the socket or FIFO `name` of a directory its owner and mode, whatever else another user may put there meanwhile; ids of -1 stay.
///
/// 0 or -errno: EEXIST where it is of another kind, EMLINK where it has another name, which may be that of another user's.
int torpor_held_give(int directory, const char *name, mode_t kind, mode_t mode, uid_t user, gid_t group);

/// Opens the FIFO `name` of a directory, made where it is missing, for both directions, so that it never ends, without waiting; -errno, EEXIST where something else is there.
int torpor_held_fifo(int directory, const char *name);

/// The kind (S_IFMT) of what is called `name` in a directory, itself where it is a link; 0 where nothing is, or -errno.
int torpor_held_kind(int directory, const char *name);

/// unlinkat(2): 0 or -errno.
int torpor_held_remove(int directory, const char *name);

/// Whether a process has the Unix socket `name` of a directory open, by a socket of this type: 1 or 0, or -errno where that cannot be told.
int torpor_held_is_alive(int type, int directory, const char *name);

/// SO_KEEPALIVE, TCP_NODELAY and TCP_DEFER_ACCEPT (in seconds): 0 or -errno.
int torpor_held_tune(int socket, int keep_alive, int no_delay, int defer_accept);

/// How many connections wait to be accepted at a listening socket of TCP, and how many may: 0 or -errno.
int torpor_held_queue(int socket, uint32_t *waiting, uint32_t *most);
