#define _GNU_SOURCE
#include "CLinux.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <string.h>
#include <sys/socket.h>

int torpor_diag_open(void) {
    int diag = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
    return diag < 0 ? -errno : diag;
}

// The header of a request for a dump, `size` bytes long as a whole.
static struct nlmsghdr dump_header(size_t size, uint32_t sequence) {
    return (struct nlmsghdr){
        .nlmsg_len = (uint32_t)size,
        .nlmsg_type = SOCK_DIAG_BY_FAMILY,
        .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
        .nlmsg_seq = sequence,
    };
}

int torpor_diag_ask(int socket, const struct torpor_diag_question *question) {
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 body;
        struct rtattr attribute;
        struct inet_diag_bc_op operation;
        uint32_t cgroup[2];
    } request;
    // One operation and its operand; a socket that it does not hold for goes beyond the end, which rejects it.
    enum { PROGRAM = sizeof request.operation + sizeof request.cgroup };
    memset(&request, 0, sizeof request);
    size_t size = NLMSG_LENGTH(sizeof request.body);
    if (question->cgroup != 0) {
        size = sizeof request;
        request.attribute.rta_type = INET_DIAG_REQ_BYTECODE;
        request.attribute.rta_len = RTA_LENGTH(PROGRAM);
        request.operation.code = INET_DIAG_BC_CGROUP_COND;
        request.operation.yes = PROGRAM;
        request.operation.no = PROGRAM + 4;
        memcpy(request.cgroup, &question->cgroup, sizeof request.cgroup);
    }
    request.header = dump_header(size, question->sequence);
    request.body.sdiag_family = question->family;
    request.body.sdiag_protocol = question->protocol;
    request.body.idiag_ext = question->with_traffic ? 1 << (INET_DIAG_INFO - 1) : 0;
    request.body.idiag_states = question->states;
    return send(socket, &request, size, 0) < 0 ? -errno : 0;
}

int torpor_diag_ask_unix(int socket, uint32_t sequence) {
    struct {
        struct nlmsghdr header;
        struct unix_diag_req body;
    } request;
    memset(&request, 0, sizeof request);
    request.header = dump_header(sizeof request, sequence);
    request.body.sdiag_family = AF_UNIX;
    request.body.udiag_states = UINT32_MAX;
    request.body.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER | UDIAG_SHOW_RQLEN;
    return send(socket, &request, sizeof request, 0) < 0 ? -errno : 0;
}
