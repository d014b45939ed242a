#include "attacker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fuse.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// A file system that answers the kernel's first request and no other: a process that looks anything up in it waits until it is gone.
int hang(char **arguments) {
    if (!arguments[0] || !arguments[1]) return 64;
    int64_t end = now_usec() + number(arguments[1]) * 1000000;
    int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (fd < 0) fail("/dev/fuse");
    char options[128];
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fd);
    if (mount("attacker", arguments[0], "fuse", MS_NOSUID | MS_NODEV, options)) fail("mount");
    static char room[1 << 18];
    ssize_t got = read(fd, room, sizeof room);
    const struct fuse_in_header *request = (const void *)room;
    if (got < (ssize_t)sizeof *request || request->opcode != FUSE_INIT) fail("FUSE_INIT");
    const struct fuse_init_in *theirs = (const void *)(room + sizeof *request);
    struct { struct fuse_out_header header; struct fuse_init_out body; } reply = {
        {sizeof reply, 0, request->unique},
        {.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_readahead = theirs->max_readahead,
         .max_write = 4096, .max_background = 16, .congestion_threshold = 12},
    };
    if (write(fd, &reply, sizeof reply) != sizeof reply) fail("FUSE_INIT");
    printf("ready\n");
    // Or until its starter, which holds the other end of its standard input, is gone.
    struct pollfd query = {STDIN_FILENO, 0, 0};
    while (now_usec() < end && poll(&query, 1, 100) >= 0) {
        if (query.revents & POLLHUP) break;
    }
    umount2(arguments[0], MNT_FORCE | MNT_DETACH);
    close(fd);
    return 0;
}

// Answers the notifications of a seccomp filter, each after a delay.
static void answer_slowly(int listener, int64_t delay) {
    prctl(PR_SET_NAME, "slow-disk");
    struct seccomp_notif request;
    struct seccomp_notif_resp reply;
    struct { uint64_t id; int64_t at; } waiting[64];
    int count = 0;
    for (;;) {
        int64_t next = -1;
        for (int i = 0; i < count; i++)
            if (next < 0 || waiting[i].at < next) next = waiting[i].at;
        struct pollfd query = {listener, POLLIN, 0};
        int64_t left = next < 0 ? 1000000 : next - now_usec();
        int ready = poll(&query, 1, left > 0 ? (int)(left / 1000 + 1) : 0);
        if (ready > 0 && (query.revents & (POLLHUP | POLLERR))) _exit(0);
        if (ready > 0 && (query.revents & POLLIN) && count < 64) {
            memset(&request, 0, sizeof request);
            if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) == 0) {
                waiting[count].id = request.id;
                waiting[count++].at = now_usec() + delay;
            }
        }
        for (int i = 0; i < count;) {
            if (waiting[i].at > now_usec()) {
                i++;
                continue;
            }
            memset(&reply, 0, sizeof reply);
            reply.id = waiting[i].id;
            reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
            ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
            waiting[i] = waiting[--count];
        }
    }
}

// Runs a command on a disk that takes its time: fsync(2) and fdatasync(2) return later.
int slow_fsync(char **arguments) {
    if (!arguments[0] || !arguments[1]) return 64;
    int64_t delay = number(arguments[0]) * 1000;
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fdatasync, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) fail("socketpair");
    // A grandchild, so that the command has no child that it does not know; made before the filter, whose last user ends it.
    pid_t child = fork();
    if (child == 0) {
        if (fork()) _exit(0);
        setsid();
        close(pair[0]);
        for (int fd = 0; fd < 3; fd++) close(fd);
        int listener = receive_descriptor(pair[1]);
        if (listener < 0) _exit(1);
        answer_slowly(listener, delay);
    }
    waitpid(child, NULL, 0);
    int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (listener < 0) fail("seccomp");
    if (send_descriptors(pair[0], "x", 1, &listener, 1) != 1) fail("the listener");
    close(listener);
    close(pair[0]);
    close(pair[1]);
    return run(arguments + 1);
}

// Copies what comes through a pipe into a file for as long as anything comes.
static void copy_log(int from, int file) {
    prctl(PR_SET_NAME, "log");
    static char room[1 << 16];
    ssize_t got;
    while ((got = read(from, room, sizeof room)) > 0)
        for (ssize_t done = 0, more; done < got; done += more)
            if ((more = write(file, room + done, (size_t)(got - done))) <= 0) _exit(1);
    _exit(0);
}

// Runs a command whose standard error is a pipe that goes into a file, of any length.
int log_to(char **arguments) {
    if (!arguments[0] || !arguments[1]) return 64;
    int ends[2];
    int file = open(arguments[0], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || pipe(ends)) fail(arguments[0]);
    pid_t child = fork();
    if (child == 0) {
        if (fork()) _exit(0);
        setsid();
        close(ends[1]);
        for (int fd = 0; fd < 3; fd++) close(fd);
        copy_log(ends[0], file);
    }
    waitpid(child, NULL, 0);
    close(ends[0]);
    close(file);
    if (dup2(ends[1], STDERR_FILENO) < 0) fail("dup2");
    close(ends[1]);
    return run(arguments + 1);
}

// Runs a command for which the machine's clocks since its start are later, as after a restore from an image (time_namespaces(7)).
int later(char **arguments) {
    if (!arguments[0] || !arguments[1]) return 64;
    char offsets[128];
    long seconds = number(arguments[0]);
    snprintf(offsets, sizeof offsets, "monotonic %ld 0\nboottime %ld 0\n", seconds, seconds);
    if (unshare(CLONE_NEWTIME)) fail("unshare");
    put("/proc/self/timens_offsets", offsets);
    return run(arguments + 1);
}
