#define _GNU_SOURCE
#include "CLinux.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>

int torpor_diag_open(void) {
    int diag = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
    return diag < 0 ? -errno : diag;
}

// The namespace that is to be entered, and then the socket that was opened there.
static void *open_elsewhere(void *number) {
    int *place = number;
    *place = setns(*place, CLONE_NEWNET) < 0 ? -errno : torpor_diag_open();
    return NULL;
}

int torpor_diag_open_in(int namespace) {
    // Of a thread that ends there: none has to find its way back.
    pthread_t thread;
    int error = pthread_create(&thread, NULL, open_elsewhere, &namespace);
    if (error != 0) return -error;
    pthread_join(thread, NULL);
    return namespace;
}

// The header of a request for a dump, `size` bytes long as a whole.
static struct nlmsghdr dump_header(size_t size, uint32_t sequence, uint16_t type) {
    return (struct nlmsghdr){
        .nlmsg_len = (uint32_t)size,
        .nlmsg_type = type,
        .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
        .nlmsg_seq = sequence,
    };
}

// Adds the program that lets a cgroup's sockets through to a request: a socket that its one operation does not hold for goes beyond the end,
// which rejects it.
static void add_filter(struct nlmsghdr *request, uint64_t cgroup) {
    struct {
        struct rtattr attribute;
        struct inet_diag_bc_op operation;
        uint32_t cgroup[2];
    } filter = {
        .attribute = {.rta_type = INET_DIAG_REQ_BYTECODE, .rta_len = sizeof filter},
        .operation = {.code = INET_DIAG_BC_CGROUP_COND, .yes = sizeof filter - RTA_LENGTH(0)},
    };
    filter.operation.no = filter.operation.yes + 4;
    memcpy(filter.cgroup, &cgroup, sizeof cgroup);
    memcpy((char *)request + request->nlmsg_len, &filter, sizeof filter);
    request->nlmsg_len += sizeof filter;
}

int torpor_diag_ask(int socket, const struct torpor_diag_question *question) {
    _Alignas(struct nlmsghdr) char room[256] = {0};
    struct nlmsghdr *request = (struct nlmsghdr *)room;
    const uint8_t extensions = question->with_traffic ? 1 << (INET_DIAG_INFO - 1) : 0;
    if (question->family == AF_UNSPEC) {
        // The older request tells of both families at once, so that the kernel walks through its table once: most of the time of a dump.
        const struct inet_diag_req body = {.idiag_ext = extensions, .idiag_states = question->states};
        *request = dump_header(NLMSG_LENGTH(sizeof body), question->sequence, TCPDIAG_GETSOCK);
        memcpy(NLMSG_DATA(request), &body, sizeof body);
    } else {
        const struct inet_diag_req_v2 body = {
            .sdiag_family = question->family,
            .sdiag_protocol = question->protocol,
            .idiag_ext = extensions,
            .idiag_states = question->states,
        };
        *request = dump_header(NLMSG_LENGTH(sizeof body), question->sequence, SOCK_DIAG_BY_FAMILY);
        memcpy(NLMSG_DATA(request), &body, sizeof body);
    }
    if (question->cgroup != 0) add_filter(request, question->cgroup);
    return send(socket, request, request->nlmsg_len, 0) < 0 ? -errno : 0;
}

int torpor_diag_ask_unix(int socket, uint32_t sequence) {
    struct {
        struct nlmsghdr header;
        struct unix_diag_req body;
    } request;
    memset(&request, 0, sizeof request);
    request.header = dump_header(sizeof request, sequence, SOCK_DIAG_BY_FAMILY);
    request.body.sdiag_family = AF_UNIX;
    request.body.udiag_states = UINT32_MAX;
    request.body.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER | UDIAG_SHOW_RQLEN;
    return send(socket, &request, sizeof request, 0) < 0 ? -errno : 0;
}
