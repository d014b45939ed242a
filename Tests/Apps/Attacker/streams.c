#include "attacker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
    int fd;
    size_t sent;
    bool done;
} connection;

// Sends a file's bytes over many connections for some seconds: again and again, with or without reading what is answered, or once.
int pour(char **arguments) {
    for (int i = 0; i < 5; i++)
        if (!arguments[i]) return 64;
    const char *path = arguments[0];
    int64_t end = now_usec() + number(arguments[1]) * 1000000;
    long many = number(arguments[2]);
    bool reads = strcmp(arguments[3], "unread") != 0, once = !strcmp(arguments[3], "once");
    size_t size;
    char *bytes = content(arguments[4], &size);
    connection *all = calloc((size_t)many, sizeof *all);
    struct pollfd *queries = calloc((size_t)many, sizeof *queries);
    if (!all || !queries) fail("calloc");
    static char sink[1 << 18];
    unsigned long long sent = 0, received = 0, closed = 0, refused = 0;
    for (long i = 0; i < many; i++) all[i].fd = -1;
    while (now_usec() < end) {
        bool anything = false;
        for (long i = 0; i < many; i++) {
            connection *one = &all[i];
            if (one->fd < 0) {
                if (once && one->done) {
                    queries[i].fd = -1;
                    continue;
                }
                one->fd = try_connect(path, SOCK_STREAM | SOCK_NONBLOCK);
                if (one->fd < 0) refused++;
                one->sent = 0;
            }
            bool writes = !(once && one->done);
            queries[i] = (struct pollfd){one->fd, (short)((writes ? POLLOUT : 0) | (reads ? POLLIN : 0)), 0};
            anything = anything || one->fd >= 0;
        }
        if (poll(queries, (nfds_t)many, anything ? 100 : 10) <= 0) continue;
        for (long i = 0; i < many; i++) {
            connection *one = &all[i];
            if (one->fd < 0) continue;
            bool gone = (queries[i].revents & POLLERR) || ((queries[i].revents & POLLHUP) && !reads);
            if (queries[i].revents & POLLIN) {
                ssize_t got = recv(one->fd, sink, sizeof sink, 0);
                if (got > 0) received += (unsigned long long)got;
                else if (got == 0 || errno != EAGAIN) gone = true;
            }
            if (!gone && (queries[i].revents & POLLOUT)) {
                ssize_t got = send(one->fd, bytes + one->sent, size - one->sent, MSG_NOSIGNAL);
                if (got > 0) {
                    sent += (unsigned long long)got;
                    one->sent += (size_t)got;
                    if (one->sent == size) {
                        one->done = true;
                        one->sent = once ? size : 0;
                    }
                } else if (errno != EAGAIN) {
                    gone = true;
                }
            }
            if (gone) {
                close(one->fd);
                one->fd = -1;
                one->done = once;
                closed++;
            }
        }
    }
    printf("sent %llu bytes, received %llu, %llu connections closed, %llu refused\n", sent, received, closed, refused);
    return 0;
}

// Connects and closes as often as it can.
int storm(char **arguments) {
    if (!arguments[0] || !arguments[1]) return 64;
    int64_t end = now_usec() + number(arguments[1]) * 1000000;
    unsigned long long count = 0, refused = 0;
    while (now_usec() < end) {
        int fd = try_connect(arguments[0], SOCK_STREAM | SOCK_NONBLOCK);
        if (fd >= 0) {
            close(fd);
            count++;
        } else {
            refused++;
        }
    }
    printf("connected %llu times, refused %llu times\n", count, refused);
    return 0;
}

// Sends a file's bytes once, and prints each message that is answered as a line until the time is over or the peer closes.
int ask(char **arguments) {
    if (!arguments[0] || !arguments[1] || !arguments[2]) return 64;
    int fd = try_connect(arguments[0], SOCK_STREAM);
    if (fd < 0) {
        printf("refused: %s\n", strerror(errno));
        return 0;
    }
    int64_t end = now_usec() + number(arguments[2]) * 1000000;
    size_t size;
    char *bytes = content(arguments[1], &size);
    if (!send_all(fd, bytes, size)) printf("refused: %s\n", strerror(errno));
    static char room[1 << 20];
    for (;;) {
        ssize_t got = receive_message(fd, room, sizeof room - 1, end);
        if (got <= 0) {
            printf(got == 0 ? "closed\n" : "over\n");
            return 0;
        }
        room[got] = 0;
        printf("%s\n", room);
    }
}

// A server that answers each message with the same bytes.
int answer(char **arguments) {
    if (!arguments[0] || !arguments[1]) return 64;
    size_t size;
    char *bytes = content(arguments[1], &size);
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct { sa_family_t family; char path[108]; } address = {AF_UNIX, {0}};
    strncpy(address.path, arguments[0], sizeof address.path - 1);
    if (bind(server, (struct sockaddr *)&address, sizeof address) || listen(server, 16)) fail(arguments[0]);
    printf("ready\n");
    static char room[1 << 16];
    for (;;) {
        int fd = accept4(server, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) fail("accept");
        while (receive_message(fd, room, sizeof room, now_usec() + 5000000) > 0)
            if (!send_all(fd, bytes, size)) break;
        close(fd);
    }
}
