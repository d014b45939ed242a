#include "attacker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int try_connect(const char *path, int type) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, length);
    socklen_t size = sizeof address;
    if (path[0] == '@') {
        address.sun_path[0] = 0;
        size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    }
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    if (connect(fd, (struct sockaddr *)&address, size) == 0) return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

int connect_to(const char *path, int type) {
    int fd = try_connect(path, type);
    if (fd < 0) fail(path);
    return fd;
}

bool send_all(int fd, const void *bytes, size_t count) {
    const char *next = bytes;
    while (count) {
        ssize_t sent = send(fd, next, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno == EAGAIN) {
            struct pollfd query = {fd, POLLOUT, 0};
            poll(&query, 1, 1000);
            continue;
        }
        if (sent < 0) return false;
        next += sent;
        count -= (size_t)sent;
    }
    return true;
}

ssize_t receive_message(int fd, char *room, size_t size, int64_t until) {
    size_t count = 0;
    while (count < size) {
        int64_t left = until - now_usec();
        struct pollfd query = {fd, POLLIN, 0};
        if (left <= 0 || poll(&query, 1, (int)(left / 1000 + 1)) == 0) return -1;
        ssize_t got = recv(fd, room + count, 1, 0);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) return 0;
        // A read of the rest at once: the messages that are asked for are short.
        count += (size_t)got;
        if (room[count - 1] == 0) return (ssize_t)count;
        got = recv(fd, room + count, size - count, MSG_DONTWAIT | MSG_PEEK);
        if (got > 0) {
            char *end = memchr(room + count, 0, (size_t)got);
            size_t take = end ? (size_t)(end - room) - count + 1 : (size_t)got;
            got = recv(fd, room + count, take, MSG_DONTWAIT);
            if (got > 0) count += (size_t)got;
            if (room[count - 1] == 0) return (ssize_t)count;
        }
    }
    return (ssize_t)count;
}

ssize_t send_descriptors(int fd, const char *text, size_t count, const int *descriptors, int many) {
    struct iovec part = {(void *)text, count};
    char control[CMSG_SPACE(sizeof(int) * 253)];
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (many > 0) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)many);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)many);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int) * (size_t)many);
    }
    return sendmsg(fd, &message, MSG_NOSIGNAL);
}

int receive_descriptor(int fd) {
    char byte, control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    int received = -1;
    if (recvmsg(fd, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message))
        memcpy(&received, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof received);
    return received;
}

char *content(const char *path, size_t *count) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status)) fail(path);
    char *bytes = malloc((size_t)status.st_size + 1);
    if (!bytes) fail(path);
    size_t size = 0;
    ssize_t got;
    while (size < (size_t)status.st_size && (got = read(fd, bytes + size, (size_t)status.st_size - size)) > 0)
        size += (size_t)got;
    bytes[size] = 0;
    *count = size;
    close(fd);
    return bytes;
}

void put(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) fail(path);
    close(fd);
}
