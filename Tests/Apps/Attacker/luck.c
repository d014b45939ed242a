#include "attacker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// What a kernel or a disk refuses, by seccomp(2): the program gets the error from its own system call, whoever made it.

static const struct {
    const char *name;
    int number;
} calls[] = {
    {"bpf", SYS_bpf},
    {"clone3", SYS_clone3},
    {"close_range", SYS_close_range},
    {"fdatasync", SYS_fdatasync},
    {"fsync", SYS_fsync},
    {"ftruncate", SYS_ftruncate},
    {"inotify_init1", SYS_inotify_init1},
    {"mlockall", SYS_mlockall},
    {"pidfd_getfd", SYS_pidfd_getfd},
    {"pidfd_open", SYS_pidfd_open},
    {"pidfd_send_signal", SYS_pidfd_send_signal},
    {"pread64", SYS_pread64},
    {"process_madvise", SYS_process_madvise},
    {"pwrite64", SYS_pwrite64},
    {"seccomp", SYS_seccomp},
    {"timerfd_create", SYS_timerfd_create},
};

static int call_named(const char *name) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(calls[i].name, name)) return calls[i].number;
    fprintf(stderr, "attacker: '%s' is no system call that it knows\n", name);
    exit(64);
}

// Runs a command on a kernel that answers calls with errors: CALL=ERRNO[,CALL=ERRNO…].
int refuse(char **arguments) {
    if (!arguments[0] || !arguments[1]) return 64;
    struct sock_filter steps[2 + 2 * sizeof calls / sizeof *calls];
    unsigned short count = 0;
    steps[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    char *rest = NULL;
    for (char *one = strtok_r(arguments[0], ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(one, '=');
        if (!equals || count + 3u > sizeof steps / sizeof *steps) return 64;
        *equals = 0;
        uint32_t error = (uint32_t)number(equals + 1) & SECCOMP_RET_DATA;
        steps[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call_named(one), 0, 1);
        steps[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
    }
    steps[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {count, steps};
    // Without CAP_SYS_ADMIN only so; with it nothing else about the command changes.
    if (geteuid() != 0) prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0)) fail("seccomp");
    return run(arguments + 1);
}

// The error that a file of rules has for a call: lines of CALL ERRNO TEXT, where TEXT is part of the path of its descriptor, or `-`.
static int error_of(const char *rules, pid_t pid, int call, int descriptor) {
    FILE *file = fopen(rules, "re");
    if (!file) return 0;
    char link[64], path[4096] = "", name[32], text[1024];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0) path[length] = 0;
    int error = 0, wanted;
    while (!error && fscanf(file, "%31s %d %1023s", name, &wanted, text) == 3)
        if (call_named(name) == call && (!strcmp(text, "-") || strstr(path, text))) error = wanted;
    fclose(file);
    return error;
}

static void answer_by_rules(int listener, const char *rules) {
    prctl(PR_SET_NAME, "bad-luck");
    for (;;) {
        struct pollfd query = {listener, POLLIN, 0};
        if (poll(&query, 1, -1) < 0 || query.revents & (POLLHUP | POLLERR)) _exit(0);
        struct seccomp_notif request;
        memset(&request, 0, sizeof request);
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request)) continue;
        int error = error_of(rules, (pid_t)request.pid, request.data.nr, (int)request.data.args[0]);
        struct seccomp_notif_resp reply = {.id = request.id, .error = -error};
        if (!error) reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
    }
}

// Runs a command whose disk, and whose new tasks, fail as the file RULES says, from the moment that it is there to its removal.
int bad_luck(char **arguments) {
    if (!arguments[0] || !arguments[1]) return 64;
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pread64, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fdatasync, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ftruncate, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) fail("socketpair");
    // As slow_fsync's.
    pid_t child = fork();
    if (child == 0) {
        if (fork()) _exit(0);
        setsid();
        close(pair[0]);
        for (int fd = 0; fd < 3; fd++) close(fd);
        int listener = receive_descriptor(pair[1]);
        if (listener < 0) _exit(1);
        answer_by_rules(listener, arguments[0]);
    }
    waitpid(child, NULL, 0);
    if (geteuid() != 0) prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (listener < 0) fail("seccomp");
    if (send_descriptors(pair[0], "x", 1, &listener, 1) != 1) fail("the listener");
    close(listener);
    close(pair[0]);
    close(pair[1]);
    return run(arguments + 1);
}
