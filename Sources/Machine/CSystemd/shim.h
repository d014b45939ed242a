#pragma once
#include <errno.h>
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
