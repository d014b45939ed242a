#include "attacker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// One ping each 10 ms; an answer that comes later than 20 s after the end is none.
#define INTERVAL 10000
#define PATIENCE 20000000

static const char ping[] = "{\"method\":\"org.varlink.service.GetInfo\"}";

typedef struct {
    int64_t *values;
    size_t count, room;
    long lost;
} samples;

static void note(samples *all, int64_t value) {
    if (all->count == all->room) {
        all->room = all->room ? all->room * 2 : 4096;
        all->values = realloc(all->values, all->room * sizeof *all->values);
        if (!all->values) abort();
    }
    all->values[all->count++] = value;
}

// Takes down a time and those that were not measured while it lasted, so that one long wait weighs as much as it lasted.
static void add(samples *all, int64_t value) {
    for (; value > 0; value -= INTERVAL) note(all, value);
}

static int compare(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

static void print(const char *name, samples *all) {
    qsort(all->values, all->count, sizeof *all->values, compare);
    size_t count = all->count;
    printf("\"%s\":{\"count\":%zu,\"lost\":%ld,\"p50\":%lld,\"p99\":%lld,\"max\":%lld}", name, count, all->lost,
           count ? (long long)all->values[count / 2] : -1, count ? (long long)all->values[count * 99 / 100] : -1,
           count ? (long long)all->values[count - 1] : -1);
}

// Pings over `fd`, and where there is a path over a new connection each sixteenth time.
static void ping_until(int fd, const char *path, int64_t end, samples *all) {
    static char room[1 << 16];
    for (long turn = 1; now_usec() < end; turn++) {
        int64_t begun = now_usec();
        int with = fd;
        if (path && turn % 16 == 0) {
            with = try_connect(path, SOCK_STREAM);
            if (with < 0) {
                all->lost++;
                sleep_until(begun + INTERVAL);
                continue;
            }
        }
        ssize_t got = send_all(with, ping, sizeof ping) ? receive_message(with, room, sizeof room, end + PATIENCE) : 0;
        if (with != fd) close(with);
        add(all, now_usec() - begun);
        if (got <= 0) {
            all->lost++;
            return;
        }
        sleep_until(begun + INTERVAL);
    }
}

static void echo(int fd) {
    char room[4096];
    ssize_t got;
    while ((got = read(fd, room, sizeof room)) > 0)
        if (write(fd, room, (size_t)got) != got) break;
    _exit(0);
}

int probe(char **arguments) {
    if (!arguments[0] || !arguments[1]) return 64;
    int64_t span = number(arguments[1]) * 1000000;
    int server = connect_to(arguments[0], SOCK_STREAM);
    int pair[2], result[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pipe(result)) fail("socketpair");
    static char room[1 << 16];
    if (!send_all(server, ping, sizeof ping) || receive_message(server, room, sizeof room, now_usec() + PATIENCE) <= 0)
        fail("the first ping");
    pid_t echoing = fork();
    if (echoing == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(pair[0]);
        echo(pair[1]);
    }
    close(pair[1]);
    printf("ready\n");
    fflush(stdout);
    int64_t end = now_usec() + span;
    // A process of its own for each, so that neither waits for the other.
    pid_t baseline = fork();
    samples all = {0};
    if (baseline == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        ping_until(pair[0], NULL, end, &all);
        if (dup2(result[1], STDOUT_FILENO) < 0) fail("dup2");
        print("echo", &all);
        fflush(stdout);
        _exit(0);
    }
    ping_until(server, arguments[0], end, &all);
    waitpid(baseline, NULL, 0);
    close(pair[0]);
    waitpid(echoing, NULL, 0);
    close(result[1]);
    char text[512];
    ssize_t got = read(result[0], text, sizeof text - 1);
    text[got > 0 ? got : 0] = 0;
    printf("{");
    print("daemon", &all);
    printf(",%s}\n", text);
    return 0;
}
