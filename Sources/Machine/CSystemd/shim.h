#pragma once
#include <errno.h>
#include <stdint.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-device.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-login.h>

/// Asks login1 for an inhibitor lock (org.freedesktop.login1(5)) without waiting for it; sd_bus_call_method_async(3) is
/// variadic.
static inline int torpor_login_inhibit(sd_bus *bus, sd_bus_slot **slot, sd_bus_message_handler_t answered,
                                       void *userdata, const char *what, const char *who, const char *why) {
    return sd_bus_call_method_async(bus, slot, "org.freedesktop.login1", "/org/freedesktop/login1",
                                    "org.freedesktop.login1.Manager", "Inhibit", answered, userdata, "ssss", what, who,
                                    why, "delay");
}

/// Asks login1 for a property of the machine (org.freedesktop.login1(5)), without waiting for the answer.
static inline int torpor_login_property(sd_bus *bus, sd_bus_slot **slot, sd_bus_message_handler_t answered,
                                        void *userdata, const char *property) {
    return sd_bus_call_method_async(bus, slot, "org.freedesktop.login1", "/org/freedesktop/login1",
                                    "org.freedesktop.DBus.Properties", "Get", answered, userdata, "ss",
                                    "org.freedesktop.login1.Manager", property);
}

/// Asks login1 for all sessions, without waiting for the answer.
static inline int torpor_login_list(sd_bus *bus, sd_bus_slot **slot, sd_bus_message_handler_t answered,
                                    void *userdata) {
    return sd_bus_call_method_async(bus, slot, "org.freedesktop.login1", "/org/freedesktop/login1",
                                    "org.freedesktop.login1.Manager", "ListSessions", answered, userdata, "");
}

/// Reads the next session of an answer to `torpor_login_list`: its id, its user's number and name; 0 after the last.
static inline int torpor_login_session(sd_bus_message *message, const char **id, uint32_t *uid, const char **user) {
    const char *seat, *path;
    return sd_bus_message_read(message, "(susso)", id, uid, user, &seat, &path);
}
