/// Ancillary data of Unix sockets (unix(7), cmsg(3)): Swift imports none of the CMSG_* macros.
#pragma once
#include <sys/socket.h>
