/// Dumps of the kernel's tables of sockets: sock_diag(7).
#pragma once
#include <stddef.h>
#include <stdint.h>

/// What a dump of TCP or UDP sockets is to tell.
struct torpor_diag_question {
    /// The number of the request, which its answers carry.
    uint32_t sequence;
    /// AF_INET or AF_INET6, or 0 for both of TCP; IPPROTO_TCP or IPPROTO_UDP.
    uint8_t family, protocol;
    /// Whether struct tcp_info comes with each (INET_DIAG_INFO).
    uint8_t with_traffic;
    /// The states, by bits 1 << TCP_ESTABLISHED and so on.
    uint32_t states;
    /// The id of the cgroup whose sockets are told (INET_DIAG_BC_CGROUP_COND, Linux 5.9); 0 is all.
    uint64_t cgroup;
};

/// A socket of NETLINK_SOCK_DIAG, closed on exec and never waited for, in the network namespace of the calling thread; or -errno.
int torpor_diag_open(void);

/// The same in the network namespace of an open file of nsfs; or -errno, EPERM where the caller may not enter it (setns(2)).
int torpor_diag_open_in(int namespace);

/// Asks for a dump: 0 or -errno.
int torpor_diag_ask(int socket, const struct torpor_diag_question *question);

/// Asks for a dump of all Unix sockets with their peers and the lengths of their queues: 0 or -errno.
int torpor_diag_ask_unix(int socket, uint32_t sequence);
