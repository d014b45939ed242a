#define _GNU_SOURCE
#include "held.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "ancillary.h"

static int set(int socket, int level, int option, int value) {
    return setsockopt(socket, level, option, &value, sizeof value) < 0 ? -errno : 0;
}

static int bind_internet(int socket, const struct torpor_held *held) {
    if (held->family == AF_INET) {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(held->port)};
        memcpy(&address.sin_addr, held->address, sizeof address.sin_addr);
        return bind(socket, (const struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
    }
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(held->port)};
    memcpy(&address.sin6_addr, held->address, sizeof address.sin6_addr);
    if (held->interface[0] != 0) {
        address.sin6_scope_id = if_nametoindex(held->interface);
        if (address.sin6_scope_id == 0) return -errno;
    }
    return bind(socket, (const struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

static int prepare(int socket, const struct torpor_held *held) {
    int result = 0;
    if (held->family == AF_UNIX)
        // Its file gets the mode of the socket: no client is let in before it has its owner.
        return fchmod(socket, 0600) < 0 ? -errno : 0;
    // What the last holder left in TIME_WAIT is no reason to refuse. Datagrams are another matter: two would share them.
    if (held->type == SOCK_STREAM) result = set(socket, SOL_SOCKET, SO_REUSEADDR, 1);
    if (result == 0 && held->family == AF_INET6 && held->v6_only >= 0)
        result = set(socket, IPPROTO_IPV6, IPV6_V6ONLY, held->v6_only);
    // Also of IPv6 (ip(7)).
    if (result == 0 && held->free_bind) result = set(socket, IPPROTO_IP, IP_FREEBIND, 1);
    if (result == 0 && held->reuse_port) result = set(socket, SOL_SOCKET, SO_REUSEPORT, 1);
    return result;
}

int torpor_held_bind(const struct torpor_held *held, const char **call) {
    *call = "socket";
    int made = socket(held->family, held->type | SOCK_CLOEXEC, 0);
    if (made < 0) return -errno;
    *call = "setsockopt";
    int result = prepare(made, held);
    if (result == 0) {
        *call = "bind";
        result = held->family == AF_UNIX ? torpor_unix_bind(made, held->name, held->name_length)
                                         : bind_internet(made, held);
    }
    if (result == 0) return made;
    close(made);
    return result;
}

int torpor_held_give(int directory, const char *name, mode_t kind, mode_t mode, uid_t user, gid_t group) {
    int file = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return -errno;
    struct stat status;
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    int result = 0;
    if (fstat(file, &status) < 0) result = -errno;
    else if ((status.st_mode & S_IFMT) != kind) result = -EEXIST;
    else if (status.st_nlink > 1) result = -EMLINK;
    else if ((user != (uid_t)-1 || group != (gid_t)-1) && fchownat(file, "", user, group, AT_EMPTY_PATH) < 0) result = -errno;
    else if (chmod(link, mode) < 0) result = -errno;
    close(file);
    return result;
}

int torpor_held_fifo(int directory, const char *name) {
    if (mkfifoat(directory, name, 0600) < 0 && errno != EEXIST) return -errno;
    int file = openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) return errno == ELOOP ? -EEXIST : -errno;
    struct stat status;
    if (fstat(file, &status) < 0 || !S_ISFIFO(status.st_mode)) {
        close(file);
        return -EEXIST;
    }
    // As it is for any program that opens one.
    fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
    return file;
}

int torpor_held_kind(int directory, const char *name) {
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0) return errno == ENOENT ? 0 : -errno;
    return status.st_mode & S_IFMT;
}

int torpor_held_remove(int directory, const char *name) { return unlinkat(directory, name, 0) < 0 ? -errno : 0; }

int torpor_held_is_alive(int type, int directory, const char *name) {
    // connect(2) takes no directory, and a path below /proc/self/fd would leave less room for the name than bind(2) does.
    char link[40], path[PATH_MAX + NAME_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, path, PATH_MAX);
    if (length < 0) return -errno;
    snprintf(path + length, sizeof path - length, "/%s", name);
    int probe = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0) return -errno;
    int result = torpor_unix_connect(probe, path, strlen(path));
    close(probe);
    // EAGAIN: its queue is full. EPROTOTYPE: it is of another type.
    if (result == 0 || result == -EAGAIN || result == -EPROTOTYPE) return 1;
    return result == -ECONNREFUSED ? 0 : result;
}

int torpor_held_tune(int socket, int keep_alive, int no_delay, int defer_accept) {
    int result = set(socket, SOL_SOCKET, SO_KEEPALIVE, keep_alive);
    if (result == 0) result = set(socket, IPPROTO_TCP, TCP_NODELAY, no_delay);
    if (result == 0 && defer_accept > 0) result = set(socket, IPPROTO_TCP, TCP_DEFER_ACCEPT, defer_accept);
    return result;
}

int torpor_held_queue(int socket, uint32_t *waiting, uint32_t *most) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) < 0) return -errno;
    // Of a listening socket these are its queue and its limit.
    *waiting = info.tcpi_unacked;
    *most = info.tcpi_sacked;
    return 0;
}
