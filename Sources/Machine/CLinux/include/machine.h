/// What the kernel tells of the machine: its clock and its network.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// A timer on the clock of the day (timerfd_create(2)), closed on exec and never waited for; or -errno.
int torpor_clock_create(void);

/// Has the timer run out at `seconds` since 1970, and when the clock is set before: 0 or -errno.
int torpor_clock_arm(int timer, int64_t seconds);

/// What came of the timer: 1 it ran out, -ECANCELED the clock was set, -EAGAIN nothing yet, or another -errno.
int torpor_clock_read(int timer);

/// A socket of rtnetlink(7) that hears of links, addresses and routes, closed on exec and never waited for; or -errno.
int torpor_route_open(void);

/// Asks for all links (RTM_GETLINK), addresses (RTM_GETADDR) or routes (RTM_GETROUTE): 0 or -errno.
int torpor_route_ask(int socket, int type);

/// Receives what the kernel sent to a socket of netlink(7): how many bytes, -EAGAIN, -ENOBUFS when some was lost, or another -errno;
/// 0 for what another process sent.
int torpor_netlink_receive(int socket, void *buffer, size_t capacity);
