#include "attacker.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static const struct {
    const char *name;
    int (*run)(char **arguments);
    const char *usage;
} commands[] = {
    {"probe", probe, "SOCKET SECONDS: measures the ping of a daemon, and of an echo server beside it"},
    {"pour", pour, "SOCKET SECONDS CONNECTIONS read|unread|once FILE: sends what is in FILE again and again, or once"},
    {"storm", storm, "SOCKET SECONDS: connects and closes"},
    {"say", say, "SOCKET TEXT: sends one datagram"},
    {"ask", ask, "SOCKET FILE SECONDS: sends what is in FILE, and prints what is answered"},
    {"notify-flood", notify_flood, "SOCKET SECONDS DESCRIPTORS: sends datagrams with descriptors"},
    {"linger", linger, "SOCKET dgram|stream TIMES SECONDS [TEXT]: passes descriptors whose close(2) waits so long"},
    {"replace-pid", replace_pid, "SOCKET dgram|stream GROUP FILE UID: speaks as UID, ends, and gives its pid to a process in GROUP"},
    {"turncoat", turncoat, "UID VARIABLE…: becomes UID, and makes a child with these variables the main process"},
    {"stop-children", stop_children, "SECONDS HOLD: stops a process of its uid that torpord starts, for HOLD seconds"},
    {"hang", hang, "DIRECTORY SECONDS: mounts a file system that never answers"},
    {"slow-fsync", slow_fsync, "MILLISECONDS COMMAND…: runs a command for which fsync(2) takes longer"},
    {"refuse", refuse, "CALL=ERRNO[,CALL=ERRNO…] COMMAND…: runs a command to which the kernel refuses these calls"},
    {"bad-luck", bad_luck, "RULES COMMAND…: runs a command whose calls fail as the file RULES says: lines of CALL ERRNO TEXT"},
    {"log-to", log_to, "FILE COMMAND…: runs a command whose standard error is FILE, through a pipe"},
    {"answer", answer, "SOCKET FILE: answers each message with what is in FILE"},
    {"leave-group", leave_group, "GROUP FILE: moves itself into GROUP, and writes a line into FILE again and again"},
    {"truncate-output", truncate_output, "TEXT: empties the files that are its standard output and error, and writes TEXT"},
    {"later", later, "SECONDS COMMAND…: runs a command for which the monotonic clock is later"},
    {"run", run, "COMMAND…: runs a command"},
};

void fail(const char *what) {
    fprintf(stderr, "attacker: %s: %s\n", what, strerror(errno));
    exit(1);
}

int64_t now_usec(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

void sleep_until(int64_t at) {
    struct timespec time = {at / 1000000, at % 1000000 * 1000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {}
}

long number(const char *text) {
    char *end;
    errno = 0;
    long value = text ? strtol(text, &end, 10) : 0;
    if (!text || *end || end == text || errno) {
        fprintf(stderr, "attacker: '%s' is not a number\n", text ? text : "");
        exit(64);
    }
    return value;
}

int run(char **arguments) {
    execvp(arguments[0], arguments);
    fail(arguments[0]);
}

// attacker [--join GROUP] [--uid UID] [--gid GID] [--for SECONDS] COMMAND ARGUMENT…
int main(int count, char **arguments) {
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    long uid = -1, gid = -1;
    (void)count;
    char **next = arguments + 1;
    for (; next[0] && next[1] && !strncmp(next[0], "--", 2); next += 2) {
        if (!strcmp(next[0], "--join")) {
            char path[4096];
            snprintf(path, sizeof path, "%s/cgroup.procs", next[1]);
            put(path, "0");
        } else if (!strcmp(next[0], "--uid")) {
            uid = number(next[1]);
        } else if (!strcmp(next[0], "--gid")) {
            gid = number(next[1]);
        } else if (!strcmp(next[0], "--for")) {
            // Whatever happens, it ends.
            alarm((unsigned)number(next[1]));
        }
    }
    if (gid < 0) gid = uid;
    if (uid >= 0) {
        gid_t only = (gid_t)gid;
        if (setgroups(1, &only) || setresgid(only, only, only)) fail("setgid");
        if (setresuid((uid_t)uid, (uid_t)uid, (uid_t)uid)) fail("setuid");
    }
    for (size_t i = 0; next[0] && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(next[0], commands[i].name)) return commands[i].run(next + 1);
    fprintf(stderr, "usage: attacker [--join GROUP] [--uid UID] [--gid GID] [--for SECONDS] COMMAND ARGUMENT…\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(stderr, "  %s %s\n", commands[i].name, commands[i].usage);
    return 64;
}
