#define _GNU_SOURCE
#include "ancillary.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

// Constants that this kernel's headers may be too old for.
#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76
#endif
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif
#ifndef SCM_PIDFD
#define SCM_PIDFD 0x04
#endif

// Copies the descriptors of one control message; what has no place (which the kernel does not send) is
// closed.
static void take_descriptors(struct torpor_datagram *datagram, const struct cmsghdr *header) {
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
        int descriptor;
        memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
        if (datagram->descriptor_count < TORPOR_MAX_DESCRIPTORS)
            datagram->descriptors[datagram->descriptor_count++] = descriptor;
        else
            close(descriptor);
    }
}

int torpor_datagram_receive(int socket, void *buffer, size_t capacity, struct torpor_datagram *datagram) {
    // A union, so that the bytes are aligned as a cmsghdr wants them.
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int)) +
                   CMSG_SPACE(sizeof(int) * TORPOR_MAX_DESCRIPTORS)];
    } control;
    struct iovec vector = {.iov_base = buffer, .iov_len = capacity};
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};

    ssize_t length;
    do
        length = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC | MSG_TRUNC);
    while (length < 0 && errno == EINTR);
    if (length < 0)
        return -errno;

    datagram->length = (size_t)length;
    datagram->control_truncated = (message.msg_flags & MSG_CTRUNC) != 0;
    datagram->has_credentials = false;
    datagram->pid = 0;
    datagram->uid = (uid_t)-1;
    datagram->gid = (gid_t)-1;
    datagram->pidfd = -1;
    datagram->tells_pidfd = false;
    datagram->descriptor_count = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET)
            continue;
        if (header->cmsg_type == SCM_RIGHTS) {
            take_descriptors(datagram, header);
        } else if (header->cmsg_type == SCM_CREDENTIALS &&
                   header->cmsg_len >= CMSG_LEN(sizeof(struct ucred))) {
            struct ucred credentials;
            memcpy(&credentials, CMSG_DATA(header), sizeof(credentials));
            datagram->has_credentials = true;
            datagram->pid = credentials.pid;
            datagram->uid = credentials.uid;
            datagram->gid = credentials.gid;
        } else if (header->cmsg_type == SCM_PIDFD && header->cmsg_len >= CMSG_LEN(sizeof(int))) {
            // Negative where the kernel could make none, as for a sender that is already reaped.
            memcpy(&datagram->pidfd, CMSG_DATA(header), sizeof(int));
            datagram->tells_pidfd = true;
        }
    }
    return 0;
}

// Fills in an address; 0 when the path does not fit.
static socklen_t fill_address(struct sockaddr_un *address, const void *path, size_t length) {
    if (length == 0 || length > sizeof(address->sun_path))
        return 0;
    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

int torpor_datagram_send(int socket, const void *path, size_t path_length, const void *bytes, size_t length,
                         const int *descriptors, size_t descriptor_count) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int) * TORPOR_MAX_DESCRIPTORS)];
    } control;
    struct sockaddr_un address;
    struct iovec vector = {.iov_base = (void *)bytes, .iov_len = length};
    struct msghdr message = {.msg_name = &address, .msg_iov = &vector, .msg_iovlen = 1};

    message.msg_namelen = fill_address(&address, path, path_length);
    if (message.msg_namelen == 0)
        return -ENAMETOOLONG;
    if (descriptor_count > TORPOR_MAX_DESCRIPTORS)
        return -EINVAL;
    if (descriptor_count > 0) {
        // The padding goes to the kernel too.
        memset(&control, 0, sizeof(control));
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int) * descriptor_count);
    }

    ssize_t sent;
    do
        sent = sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}

int torpor_unix_bind(int socket, const void *path, size_t path_length) {
    struct sockaddr_un address;
    socklen_t length = fill_address(&address, path, path_length);
    if (length == 0)
        return -ENAMETOOLONG;
    return bind(socket, (const struct sockaddr *)&address, length) < 0 ? -errno : 0;
}

int torpor_unix_connect(int socket, const void *path, size_t path_length) {
    struct sockaddr_un address;
    socklen_t length = fill_address(&address, path, path_length);
    if (length == 0)
        return -ENAMETOOLONG;
    return connect(socket, (const struct sockaddr *)&address, length) < 0 ? -errno : 0;
}

int torpor_unix_pass_pidfd(int socket) {
    int on = 1;
    return setsockopt(socket, SOL_SOCKET, SO_PASSPIDFD, &on, sizeof(on)) < 0 ? -errno : 0;
}

int torpor_unix_refuse_rights(int socket) {
    int off = 0;
    return setsockopt(socket, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof(off)) < 0 ? -errno : 0;
}

int torpor_unix_peer_pidfd(int socket) {
    int pidfd = -1;
    socklen_t length = sizeof pidfd;
    return getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length) < 0 ? -errno : pidfd;
}

ssize_t torpor_stream_receive(int socket, void *buffer, size_t capacity, struct torpor_datagram *message) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int) * TORPOR_MAX_DESCRIPTORS)];
    } control;
    struct iovec vector = {.iov_base = buffer, .iov_len = capacity};
    struct msghdr header = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
    ssize_t length;
    do
        length = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (length < 0 && errno == EINTR);
    message->descriptor_count = 0;
    if (length < 0) return -errno;
    for (struct cmsghdr *each = CMSG_FIRSTHDR(&header); each; each = CMSG_NXTHDR(&header, each))
        if (each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_RIGHTS) take_descriptors(message, each);
    return length;
}

int torpor_same_description(int a, int b) {
    pid_t self = getpid();
    long order = syscall(SYS_kcmp, self, self, KCMP_FILE, (unsigned long)a, (unsigned long)b);
    return order < 0 ? -errno : order == 0;
}
