// A small server, of which there are many: `worker NAME ADDRESS PORT` answers each line `N` with `NAME PID N+1`, at this
// address or at the socket that its supervisor passes (LISTEN_FDS).
//
// It says READY=1 where there is a $NOTIFY_SOCKET. Where there is a $TORPOR_SOCKET and its last argument is `app`, it
// attaches, completes each callback, and sends those that bring notifications to the datagram socket $LONG_LIFE_SOCKET, with
// its name in front. With `talks` it prints a line for each request.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CLIENTS = 16, LISTENER = 0, SUPERVISOR = 1, FIRST = 2 };

#define must(call) \
    ({ \
        long must_result = (long)(call); \
        if (must_result < 0) { \
            fprintf(stderr, "worker: %s: %s\n", #call, strerror(errno)); \
            exit(1); \
        } \
        must_result; \
    })

static const char *name;
static int talks;

// The address that `text` spells: a path, or `@` and an abstract name.
static socklen_t unix_address(struct sockaddr_un *address, const char *text) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    strncpy(address->sun_path, text, sizeof address->sun_path - 1);
    if (text[0] == '@') address->sun_path[0] = 0;
    return offsetof(struct sockaddr_un, sun_path) + strlen(text);
}

static void say(const char *variable, const void *message, size_t size) {
    const char *text = getenv(variable);
    if (!text) return;
    struct sockaddr_un address;
    socklen_t length = unix_address(&address, text);
    int out = must(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    // Where no process listens any more, none is to know.
    sendto(out, message, size, 0, (struct sockaddr *)&address, length);
    close(out);
}

static int listener(const char *host, int port) {
    const char *passed = getenv("LISTEN_FDS");
    if (passed && atoi(passed) > 0) return 3;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = inet_addr(host)};
    int one = 1, result = must(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    must(setsockopt(result, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one));
    must(bind(result, (struct sockaddr *)&address, sizeof address));
    must(listen(result, 128));
    return result;
}

static int attached(void) {
    static const char attach[] = "{\"method\":\"io.torpor.Worker.Attach\",\"parameters\":{},\"more\":true}";
    struct sockaddr_un address;
    socklen_t length = unix_address(&address, getenv("TORPOR_SOCKET"));
    int result = must(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    must(connect(result, (struct sockaddr *)&address, length));
    must(write(result, attach, sizeof attach));
    return result;
}

// Completes one callback, after what it brought has been told.
static void complete(int supervisor, char *message) {
    static char report[1 << 18];
    char *callback = strstr(message, "\"callback\""), *id = callback ? strstr(callback, "\"id\":") : 0;
    if (!id) return;
    if (strstr(callback, "\"notifications\":")) {
        int length = snprintf(report, sizeof report, "%s %s", name, message);
        say("LONG_LIFE_SOCKET", report, length);
    }
    char answer[120];
    int length = snprintf(answer, sizeof answer,
        "{\"method\":\"io.torpor.Worker.Complete\",\"parameters\":{\"id\":%ld},\"oneway\":true}", strtol(id + 5, 0, 10));
    must(write(supervisor, answer, length + 1));
    if (strstr(callback, "\"name\":\"willTerminate\"")) exit(0);
}

// Takes what the supervisor has sent.
static void receive(int supervisor) {
    static char input[1 << 18];
    static size_t held;
    ssize_t count = must(read(supervisor, input + held, sizeof input - held - 1));
    if (count == 0) exit(0);
    held += count;
    for (char *end; (end = memchr(input, 0, held));) {
        size_t size = end + 1 - input;
        complete(supervisor, input);
        memmove(input, input + size, held -= size);
    }
}

// Answers a line; whether the client is still there.
static int answer(int client) {
    char line[100], text[200];
    ssize_t count = read(client, line, sizeof line - 1);
    if (count <= 0) return 0;
    line[count] = 0;
    int length = snprintf(text, sizeof text, "%s %d %ld\n", name, getpid(), atol(line) + 1);
    if (talks) printf("%s was asked for what follows %ld\n", name, atol(line)), fflush(stdout);
    return write(client, text, length) == length;
}

int main(int count, char **arguments) {
    if (count < 4) { fprintf(stderr, "usage: worker NAME ADDRESS PORT [app|talks]\n"); return 2; }
    signal(SIGPIPE, SIG_IGN);
    name = arguments[1];
    talks = count > 4 && !strcmp(arguments[4], "talks");
    int app = count > 4 && !strcmp(arguments[4], "app");
    struct pollfd files[FIRST + CLIENTS] = {
        [LISTENER] = {.fd = listener(arguments[2], atoi(arguments[3])), .events = POLLIN},
        [SUPERVISOR] = {.fd = app ? attached() : -1, .events = POLLIN},
    };
    for (int i = FIRST; i < FIRST + CLIENTS; i++) files[i] = (struct pollfd){.fd = -1, .events = POLLIN};
    say("NOTIFY_SOCKET", "READY=1", 7);
    for (;;) {
        if (poll(files, FIRST + CLIENTS, -1) < 0) continue;
        if (files[SUPERVISOR].revents) receive(files[SUPERVISOR].fd);
        for (int i = FIRST; i < FIRST + CLIENTS; i++) {
            if (!files[i].revents || answer(files[i].fd)) continue;
            close(files[i].fd);
            files[i].fd = -1;
        }
        if (!files[LISTENER].revents) continue;
        for (int i = FIRST; i < FIRST + CLIENTS; i++) {
            if (files[i].fd >= 0) continue;
            files[i].fd = accept4(files[LISTENER].fd, 0, 0, SOCK_CLOEXEC);
            files[i].revents = 0;
            break;
        }
    }
}
