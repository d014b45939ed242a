#define _GNU_SOURCE
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

// Constants that this kernel's headers may be too old for.
#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

int torpor_unix_accept(int listener) {
    int accepted;
    do
        accepted = accept4(listener, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
    while (accepted < 0 && errno == EINTR);
    return accepted < 0 ? -errno : accepted;
}

int torpor_unix_peer(int socket, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0)
        return -errno;
    *pid = credentials.pid;
    *uid = credentials.uid;
    *gid = credentials.gid;
    return 0;
}

int torpor_unix_peer_groups(int socket, gid_t *groups, int capacity) {
    socklen_t length = (socklen_t)capacity * sizeof(gid_t);
    // ERANGE: too little room, and `length` says how much it takes.
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &length) < 0 && errno != ERANGE)
        return -errno;
    return (int)(length / sizeof(gid_t));
}

// One socket option that is a number; -errno when there is none.
static int number(int socket, int option) {
    int value;
    socklen_t length = sizeof value;
    return getsockopt(socket, SOL_SOCKET, option, &value, &length) < 0 ? -errno : value;
}

int torpor_unix_is_listener(int socket) {
    int domain = number(socket, SO_DOMAIN);
    if (domain < 0)
        return domain;
    return domain == AF_UNIX && number(socket, SO_TYPE) == SOCK_STREAM && number(socket, SO_ACCEPTCONN) == 1;
}

int torpor_file_lock(int file, pid_t *holder) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    *holder = 0;
    // Once more when the holder ended between the two questions.
    for (int i = 0; i < 10; i++) {
        if (fcntl(file, F_SETLK, &lock) == 0)
            return 0;
        if (errno != EAGAIN && errno != EACCES)
            return -errno;
        struct flock other = lock;
        if (fcntl(file, F_GETLK, &other) < 0)
            return -errno;
        if (other.l_type != F_UNLCK) {
            *holder = other.l_pid > 0 ? other.l_pid : 0;
            return -EAGAIN;
        }
    }
    return -EAGAIN;
}
