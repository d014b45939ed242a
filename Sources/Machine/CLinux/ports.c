#define _GNU_SOURCE
#include "include/ports.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// linux/filter.h has these for the kernel's own use only.
#define INSN(CODE, DST, SRC, OFF, IMM)                                                                                \
    ((struct bpf_insn){.code = (CODE), .dst_reg = (DST), .src_reg = (SRC), .off = (OFF), .imm = (IMM)})
#define SET(DST, IMM) INSN(BPF_ALU64 | BPF_MOV | BPF_K, DST, 0, 0, IMM)
#define COPY(DST, SRC) INSN(BPF_ALU64 | BPF_MOV | BPF_X, DST, SRC, 0, 0)
#define ADD(DST, IMM) INSN(BPF_ALU64 | BPF_ADD | BPF_K, DST, 0, 0, IMM)
#define LOAD(DST, SRC, OFF) INSN(BPF_LDX | BPF_MEM | BPF_W, DST, SRC, OFF, 0)
#define STORE(DST, SRC, OFF) INSN(BPF_STX | BPF_MEM | BPF_W, DST, SRC, OFF, 0)
#define JUMP_IF(DST, IMM, OFF) INSN(BPF_JMP | BPF_JEQ | BPF_K, DST, 0, OFF, IMM)
#define JUMP_UNLESS(DST, IMM, OFF) INSN(BPF_JMP | BPF_JNE | BPF_K, DST, 0, OFF, IMM)
#define JUMP(OFF) INSN(BPF_JMP | BPF_JA, 0, 0, OFF, 0)
#define CALL(HELPER) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, HELPER)
#define LEAVE INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static int bpf(int command, union bpf_attr *attributes) {
    long result = syscall(SYS_bpf, command, attributes, sizeof *attributes);
    return result < 0 ? -errno : (int)result;
}

static int load(int type, int attach_type, const struct bpf_insn *code, int count, const char *name) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.prog_type = (uint32_t)type;
    attributes.expected_attach_type = (uint32_t)attach_type;
    attributes.insns = (uintptr_t)code;
    attributes.insn_cnt = (uint32_t)count;
    // The helpers that it calls are for programs under it.
    attributes.license = (uintptr_t) "GPL";
    strncpy(attributes.prog_name, name, sizeof attributes.prog_name - 1);
    return bpf(BPF_PROG_LOAD, &attributes);
}

static int bind_type(int six) { return six ? BPF_CGROUP_INET6_BIND : BPF_CGROUP_INET4_BIND; }

int torpor_share_ports(const uint16_t *ports, int count, int six) {
    struct bpf_insn code[TORPOR_MOST_SHARED_PORTS + 16];
    if (count < 1 || count > TORPOR_MOST_SHARED_PORTS) return -EINVAL;
    // Where the socket is made to share its port, and the end; jumps count from the instruction after them.
    const int sharing = 4 + count, end = sharing + 8;
    int at = 0;
#define TO(TARGET) (int16_t)((TARGET) - at - 1)
    code[at++] = LOAD(BPF_REG_2, BPF_REG_1, offsetof(struct bpf_sock_addr, type));
    code[at] = JUMP_UNLESS(BPF_REG_2, SOCK_STREAM, TO(end));
    at++;
    code[at++] = LOAD(BPF_REG_2, BPF_REG_1, offsetof(struct bpf_sock_addr, user_port));
    for (int i = 0; i < count; i++, at++) code[at] = JUMP_IF(BPF_REG_2, htons(ports[i]), TO(sharing));
    code[at] = JUMP(TO(end));
    at++;
    code[at++] = SET(BPF_REG_2, 1);
    code[at++] = STORE(BPF_REG_10, BPF_REG_2, -4);
    code[at++] = SET(BPF_REG_2, SOL_SOCKET);
    code[at++] = SET(BPF_REG_3, SO_REUSEPORT);
    code[at++] = COPY(BPF_REG_4, BPF_REG_10);
    code[at++] = ADD(BPF_REG_4, -4);
    code[at++] = SET(BPF_REG_5, sizeof(int));
    code[at++] = CALL(BPF_FUNC_setsockopt);
    // No bind is refused here, whatever came of that.
    code[at++] = SET(BPF_REG_0, 1);
    code[at++] = LEAVE;
#undef TO
    return load(BPF_PROG_TYPE_CGROUP_SOCK_ADDR, bind_type(six), code, at, "torpor_share");
}

int torpor_attach_to_group(int program, int group, int six) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.link_create.prog_fd = (uint32_t)program;
    attributes.link_create.target_fd = (uint32_t)group;
    attributes.link_create.attach_type = (uint32_t)bind_type(six);
    return bpf(BPF_LINK_CREATE, &attributes);
}

int torpor_keep_queue(void) {
    const struct bpf_insn code[] = {SET(BPF_REG_0, SK_PASS), LEAVE};
    return load(BPF_PROG_TYPE_SK_REUSEPORT, BPF_SK_REUSEPORT_SELECT_OR_MIGRATE, code, 2, "torpor_queue");
}

int torpor_attach_to_port(int program, int listener) {
    return setsockopt(listener, SOL_SOCKET, SO_ATTACH_REUSEPORT_EBPF, &program, sizeof program) ? -errno : 0;
}

// The kernel remembers besides with the port that its sockets share it, and lets a further one in for that without a look at them: until a
// socket is bound there that does not. One in repair is bound whatever else is there (CAP_NET_ADMIN, tcp(7)).
static int forget_sharing(int listener) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(listener, (struct sockaddr *)&address, &length)) return -errno;
    int other = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (other < 0) return -errno;
    int failed = setsockopt(other, IPPROTO_TCP, TCP_REPAIR, &yes, sizeof yes) ||
                 bind(other, (struct sockaddr *)&address, length);
    int error = failed ? errno : 0;
    close(other);
    return -error;
}

int torpor_keep_port(int listener) {
    int no = 0;
    return setsockopt(listener, SOL_SOCKET, SO_REUSEPORT, &no, sizeof no) ? -errno : forget_sharing(listener);
}

int torpor_detach_from_port(int listener) {
    int no = 0;
    // ENOENT where there is none any more.
    int failed = setsockopt(listener, SOL_SOCKET, SO_DETACH_REUSEPORT_BPF, &no, sizeof no);
    return failed && errno != ENOENT ? -errno : 0;
}

int torpor_admit_no_more(int listener) {
    // Read from the header of TCP on: of its flags a connection that begins has SYN alone.
    static struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x12),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x02, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
    };
    const struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
    return setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0 ? 0 : -errno;
}

int torpor_has_client(int listener, long nanoseconds) {
    struct pollfd look = {.fd = listener, .events = POLLIN};
    const struct timespec limit = {.tv_nsec = nanoseconds};
    return ppoll(&look, 1, &limit, NULL) == 1 && look.revents == POLLIN;
}
