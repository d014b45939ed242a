/// Ports that two listening sockets share for a moment, and listeners whose waiting connections go from one to the other: bpf(2),
/// SO_REUSEPORT of socket(7).
#pragma once
#include <stdint.h>

/// How many ports one program is made for.
#define TORPOR_MOST_SHARED_PORTS 64

/// A program that has each TCP socket bound to one of these ports share it (SO_REUSEPORT), at binds of IPv4 or, with `six`, of IPv6; the
/// ports are in the machine's order. A descriptor, closed on exec, or -errno: EPERM without CAP_BPF and CAP_NET_ADMIN.
int torpor_share_ports(const uint16_t *ports, int count, int six);

/// Has such a program run at the binds of the processes in the group of cgroup v2 behind a directory's descriptor, until the descriptor that
/// this returns is closed; or -errno.
int torpor_attach_to_group(int program, int group, int six);

/// A program that leaves it to the kernel which of the listeners of a port takes a connection, and by which those that wait at one that is
/// closed go to another. A descriptor, closed on exec, or -errno.
int torpor_keep_queue(void);

/// Has what waits at a listener go to another one of its port when it is closed: 0 or -errno. Both have to listen already.
int torpor_attach_to_port(int program, int listener);

/// Has the listener share its port with no other socket from now on: 0 or -errno.
int torpor_keep_port(int listener);

/// Takes the program of the listener's port away: 0 or -errno.
int torpor_detach_from_port(int listener);

/// Has a TCP listener take no notice of connections that begin from now on: their clients ask again after a second (tcp(7)), and reach what
/// listens by then. Those that have begun are still completed. 0 or -errno.
int torpor_admit_no_more(int listener);

/// 1 when a client waits at a listener within so many nanoseconds, fewer than 10^9; else 0.
int torpor_has_client(int listener, long nanoseconds);
