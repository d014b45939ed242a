#define _GNU_SOURCE
#include "CLinux.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int torpor_clock_create(void) {
    int timer = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    return timer < 0 ? -errno : timer;
}

int torpor_clock_arm(int timer, int64_t seconds) {
    struct itimerspec at = {.it_value.tv_sec = seconds};
    int result = timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &at, 0);
    return result < 0 ? -errno : 0;
}

int torpor_clock_read(int timer) {
    uint64_t count;
    return read(timer, &count, sizeof count) < 0 ? -errno : 1;
}

int torpor_route_open(void) {
    int route = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (route < 0) return -errno;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
    };
    if (bind(route, (struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(route);
        return -error;
    }
    return route;
}

int torpor_route_ask(int socket, int type) {
    struct {
        struct nlmsghdr header;
        struct rtgenmsg body;
    } question;
    memset(&question, 0, sizeof question);
    question.header.nlmsg_len = NLMSG_LENGTH(sizeof question.body);
    question.header.nlmsg_type = type;
    question.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    question.body.rtgen_family = AF_UNSPEC;
    return send(socket, &question, question.header.nlmsg_len, 0) < 0 ? -errno : 0;
}

int torpor_netlink_receive(int socket, void *buffer, size_t capacity) {
    struct sockaddr_nl sender;
    struct iovec part = {buffer, capacity};
    struct msghdr message = {.msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &part, .msg_iovlen = 1};
    ssize_t size = recvmsg(socket, &message, 0);
    if (size < 0) return -errno;
    // Cut short is lost too.
    if (message.msg_flags & MSG_TRUNC) return -ENOBUFS;
    // Only the kernel has no port.
    return sender.nl_pid == 0 ? (int)size : 0;
}
