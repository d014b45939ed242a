#define _GNU_SOURCE
#include "relay.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "ancillary.h"

// Constants that this kernel's headers may be too old for.
#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

static int result_of(long result) {
    return result < 0 ? -errno : (int)result;
}

int torpor_relay_watch(int epoll, int operation, int descriptor, uint32_t events, uint64_t number) {
    struct epoll_event event = {.events = events, .data.u64 = number};
    return result_of(epoll_ctl(epoll, operation, descriptor, &event));
}

int torpor_relay_wait(int epoll, struct torpor_relay_event *events, int room, int timeout) {
    struct epoll_event found[256];
    int count = epoll_wait(epoll, found, room < 256 ? room : 256, timeout);
    if (count < 0) return -errno;
    for (int i = 0; i < count; i++)
        events[i] = (struct torpor_relay_event){.events = found[i].events, .number = found[i].data.u64};
    return count;
}

int torpor_relay_accept(int listener, int waits) {
    // Another process that accepts here too may be quicker after we were told: SIGALRM comes again and again, in case that it comes too early.
    const struct itimerval soon = {.it_interval = {.tv_usec = 10000}, .it_value = {.tv_usec = 10000}}, never = {0};
    if (waits) {
        struct pollfd look = {.fd = listener, .events = POLLIN};
        if (poll(&look, 1, 0) < 1) return -EAGAIN;
        setitimer(ITIMER_REAL, &soon, 0);
    }
    int accepted;
    do
        accepted = accept4(listener, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
    while (accepted < 0 && errno == EINTR && !waits);
    int error = errno;
    if (waits) setitimer(ITIMER_REAL, &never, 0);
    if (accepted < 0) return error == EINTR ? -EAGAIN : -error;
    // Ignoring failures: a Unix socket has neither.
    int on = 1;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(accepted, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    return accepted;
}

int torpor_relay_waits(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? -errno : !(flags & O_NONBLOCK);
}

int torpor_relay_never_wait(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0) return -errno;
    return result_of(fcntl(descriptor, F_SETFL, flags | O_NONBLOCK));
}

int torpor_relay_address(int socket, int of_peer, void *address) {
    socklen_t length = TORPOR_RELAY_ADDRESS;
    int result = of_peer ? getpeername(socket, address, &length) : getsockname(socket, address, &length);
    if (result < 0) return -errno;
    return length < TORPOR_RELAY_ADDRESS ? (int)length : TORPOR_RELAY_ADDRESS;
}

int torpor_relay_listens(int socket) {
    int value = 0;
    socklen_t length = sizeof value;
    int result = getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &value, &length);
    return result < 0 ? -errno : value;
}

int torpor_relay_connect(const void *source, uint32_t source_length, const void *target, uint32_t target_length) {
    const sa_family_t family = ((const struct sockaddr *)target)->sa_family;
    const int begun = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (begun < 0) return -errno;
    int on = 1;
    // As without a relay: a peer's small messages are sent on at once.
    if (family != AF_UNIX) setsockopt(begun, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (source_length > 0) {
        // The port is chosen with the target in view, so that there are as many as for a connection without bind(2).
        setsockopt(begun, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
        if (bind(begun, source, source_length) < 0) goto failed;
    }
    if (connect(begun, target, target_length) == 0 || errno == EINPROGRESS) return begun;
failed:;
    int error = errno;
    close(begun);
    return -error;
}

int torpor_relay_outcome(int socket) {
    int error = 0;
    socklen_t length = sizeof error;
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) < 0 ? -errno : -error;
}

int torpor_relay_pipe(int ends[2]) {
    return result_of(pipe2(ends, O_CLOEXEC | O_NONBLOCK));
}

ssize_t torpor_relay_splice(int from, int to, size_t count) {
    ssize_t moved;
    do
        moved = splice(from, 0, to, 0, count, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
    while (moved < 0 && errno == EINTR);
    return moved < 0 ? -errno : moved;
}

ssize_t torpor_relay_receive(int socket, void *bytes, size_t room, int peeks) {
    ssize_t count;
    do
        count = recv(socket, bytes, room, MSG_DONTWAIT | (peeks ? MSG_PEEK : 0));
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

ssize_t torpor_relay_send(int socket, const void *bytes, size_t count) {
    ssize_t sent;
    do
        sent = send(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}

ssize_t torpor_relay_write(int pipe, const void *bytes, size_t count) {
    ssize_t written;
    do
        written = write(pipe, bytes, count);
    while (written < 0 && errno == EINTR);
    return written < 0 ? -errno : written;
}

int torpor_relay_end(int socket) {
    return result_of(shutdown(socket, SHUT_WR));
}

void torpor_relay_reset(int socket) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(socket);
}

int torpor_relay_tell(int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int) * TORPOR_MAX_DESCRIPTORS)];
    } control;
    struct iovec vector = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (descriptor_count > TORPOR_MAX_DESCRIPTORS) return -EINVAL;
    if (descriptor_count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int) * descriptor_count);
    }
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}

int torpor_relay_queue(int diag, const void *target, uint32_t target_length, uint32_t *length, uint32_t *limit) {
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 body;
    } request;
    memset(&request, 0, sizeof request);
    request.header.nlmsg_len = sizeof request;
    request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    request.header.nlmsg_flags = NLM_F_REQUEST;
    request.body.sdiag_protocol = IPPROTO_TCP;
    request.body.idiag_states = 1 << TCP_LISTEN;
    request.body.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    request.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    // The kernel looks for what takes a segment from there to here: no connection comes from port 0, so that it is the listener.
    const struct sockaddr *address = target;
    request.body.sdiag_family = (uint8_t)address->sa_family;
    if (address->sa_family == AF_INET && target_length >= sizeof(struct sockaddr_in)) {
        const struct sockaddr_in *four = target;
        memcpy(request.body.id.idiag_src, &four->sin_addr, sizeof four->sin_addr);
        request.body.id.idiag_sport = four->sin_port;
    } else if (address->sa_family == AF_INET6 && target_length >= sizeof(struct sockaddr_in6)) {
        const struct sockaddr_in6 *six = target;
        memcpy(request.body.id.idiag_src, &six->sin6_addr, sizeof six->sin6_addr);
        request.body.id.idiag_sport = six->sin6_port;
        request.body.id.idiag_if = six->sin6_scope_id;
    } else {
        return -EAFNOSUPPORT;
    }
    // What is left of an earlier answer.
    char answer[4096] __attribute__((aligned(__alignof__(struct nlmsghdr))));
    while (recv(diag, answer, sizeof answer, MSG_DONTWAIT) > 0) {}
    if (send(diag, &request, sizeof request, 0) < 0) return -errno;
    // The kernel answers before send(2) returns.
    ssize_t size = recv(diag, answer, sizeof answer, MSG_DONTWAIT);
    if (size < 0) return -errno;
    const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
    if ((size_t)size < sizeof *header || !NLMSG_OK(header, (uint32_t)size)) return -EBADMSG;
    if (header->nlmsg_type == NLMSG_ERROR) {
        if (header->nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))) return -EBADMSG;
        const struct nlmsgerr *error = NLMSG_DATA(header);
        return error->error < 0 ? error->error : -EBADMSG;
    }
    if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY || header->nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
        return -EBADMSG;
    const struct inet_diag_msg *found = NLMSG_DATA(header);
    if (found->idiag_state != TCP_LISTEN) return -ENOENT;
    *length = found->idiag_rqueue;
    *limit = found->idiag_wqueue;
    return 0;
}

static void awake(int signal) { (void)signal; }

int torpor_relay_signals(void) {
    signal(SIGPIPE, SIG_IGN);
    // Without SA_RESTART: accept4(2) returns.
    const struct sigaction interrupts = {.sa_handler = awake};
    sigaction(SIGALRM, &interrupts, 0);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    if (sigprocmask(SIG_BLOCK, &set, 0) < 0) return -errno;
    return result_of(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}
