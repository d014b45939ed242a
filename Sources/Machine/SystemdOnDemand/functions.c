#include "include/SystemdOnDemand.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-device.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-login.h>
#include <unistd.h>

#define LIBRARY "libsystemd.so.0"

// What packagers and packaging/bundle read, since no DT_NEEDED names the library: an ELF note of <https://systemd.io/ELF_DLOPEN_METADATA>.
#define NEEDS "[{\"feature\":\"systemd\",\"description\":\"The event loop, sd_notify and the journal\",\"priority\":\"required\",\"soname\":[\"" LIBRARY "\"]}]"
__attribute__((used, aligned(4), section(".note.dlopen"))) static const struct {
    uint32_t name_size, description_size, type;
    char name[4];
    _Alignas(4) char description[sizeof NEEDS];
} needs = {sizeof "FDO", sizeof NEEDS, 0x407c0c0a, "FDO", NEEDS};

// The address of a function of libsystemd; null where there is no such library or function. Threads may ask at once: dlopen(3) counts.
static void *find(const char *name) {
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    return library ? dlsym(library, name) : 0;
}

// Why there is none: it is not there, or no descriptor is left to open it by, which dlopen(3) does not tell.
static int missing(void) {
    int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 && (errno == EMFILE || errno == ENFILE)) return errno;
    if (descriptor >= 0) close(descriptor);
    return ELIBACC;
}

// The function `NAME` as `function`, found when it is called first; null where there is none.
#define FOUND(TYPE, NAME, ...)                                                                                                   \
    typedef TYPE found_type(__VA_ARGS__);                                                                                        \
    static found_type *_Atomic found;                                                                                            \
    found_type *function = found;                                                                                                \
    if (!function) found = function = (found_type *)find(NAME)

#define NUMBER(NAME, ARGUMENTS, ...)                                                                                             \
    int NAME(__VA_ARGS__) {                                                                                                      \
        FOUND(int, #NAME, __VA_ARGS__);                                                                                          \
        return function ? function ARGUMENTS : -missing();                                                                       \
    }

#define ADDRESS(TYPE, NAME, ARGUMENTS, ...)                                                                                      \
    TYPE *NAME(__VA_ARGS__) {                                                                                                    \
        FOUND(TYPE *, #NAME, __VA_ARGS__);                                                                                       \
        return function ? function ARGUMENTS : 0;                                                                                \
    }

NUMBER(sd_bus_attach_event, (bus, e, priority), sd_bus *bus, sd_event *e, int priority)
ADDRESS(sd_bus, sd_bus_close_unref, (bus), sd_bus *bus)
NUMBER(sd_bus_detach_event, (bus), sd_bus *bus)
NUMBER(sd_bus_match_signal_async, (bus, ret, sender, path, interface, member, match_callback, add_callback, userdata), sd_bus *bus, sd_bus_slot **ret, const char *sender, const char *path, const char *interface, const char *member, sd_bus_message_handler_t match_callback, sd_bus_message_handler_t add_callback, void *userdata)
NUMBER(sd_bus_message_enter_container, (m, type, contents), sd_bus_message *m, char type, const char *contents)
ADDRESS(const char, sd_bus_message_get_path, (m), sd_bus_message *m)
NUMBER(sd_bus_message_is_method_error, (m, name), sd_bus_message *m, const char *name)
NUMBER(sd_bus_message_read_basic, (m, type, p), sd_bus_message *m, char type, void *p)
NUMBER(sd_bus_negotiate_fds, (bus, b), sd_bus *bus, int b)
NUMBER(sd_bus_new, (ret), sd_bus **ret)
NUMBER(sd_bus_open_system, (ret), sd_bus **ret)
NUMBER(sd_bus_path_decode, (path, prefix, ret_external_id), const char *path, const char *prefix, char **ret_external_id)
NUMBER(sd_bus_set_address, (bus, address), sd_bus *bus, const char *address)
NUMBER(sd_bus_set_bus_client, (bus, b), sd_bus *bus, int b)
ADDRESS(sd_bus_slot, sd_bus_slot_unref, (slot), sd_bus_slot *slot)
NUMBER(sd_bus_start, (bus), sd_bus *bus)
NUMBER(sd_device_get_devname, (device, ret), sd_device *device, const char **ret)
NUMBER(sd_device_get_property_value, (device, key, value), sd_device *device, const char *key, const char **value)
NUMBER(sd_device_get_subsystem, (device, ret), sd_device *device, const char **ret)
NUMBER(sd_device_get_syspath, (device, ret), sd_device *device, const char **ret)
NUMBER(sd_device_monitor_attach_event, (m, event), sd_device_monitor *m, sd_event *event)
NUMBER(sd_device_monitor_filter_add_match_subsystem_devtype, (m, subsystem, devtype), sd_device_monitor *m, const char *subsystem, const char *devtype)
ADDRESS(sd_event_source, sd_device_monitor_get_event_source, (m), sd_device_monitor *m)
NUMBER(sd_device_monitor_new, (ret), sd_device_monitor **ret)
NUMBER(sd_device_monitor_start, (m, callback, userdata), sd_device_monitor *m, sd_device_monitor_handler_t callback, void *userdata)
NUMBER(sd_device_monitor_stop, (m), sd_device_monitor *m)
ADDRESS(sd_device_monitor, sd_device_monitor_unref, (m), sd_device_monitor *m)
NUMBER(sd_event_add_defer, (e, s, callback, userdata), sd_event *e, sd_event_source **s, sd_event_handler_t callback, void *userdata)
NUMBER(sd_event_add_exit, (e, s, callback, userdata), sd_event *e, sd_event_source **s, sd_event_handler_t callback, void *userdata)
NUMBER(sd_event_add_io, (e, s, fd, events, callback, userdata), sd_event *e, sd_event_source **s, int fd, uint32_t events, sd_event_io_handler_t callback, void *userdata)
NUMBER(sd_event_add_post, (e, s, callback, userdata), sd_event *e, sd_event_source **s, sd_event_handler_t callback, void *userdata)
NUMBER(sd_event_add_signal, (e, s, sig, callback, userdata), sd_event *e, sd_event_source **s, int sig, sd_event_signal_handler_t callback, void *userdata)
NUMBER(sd_event_add_time, (e, s, clock, usec, accuracy, callback, userdata), sd_event *e, sd_event_source **s, clockid_t clock, uint64_t usec, uint64_t accuracy, sd_event_time_handler_t callback, void *userdata)
NUMBER(sd_event_exit, (e, code), sd_event *e, int code)
NUMBER(sd_event_loop, (e), sd_event *e)
NUMBER(sd_event_new, (e), sd_event **e)
NUMBER(sd_event_now, (e, clock, usec), sd_event *e, clockid_t clock, uint64_t *usec)
NUMBER(sd_event_run, (e, usec), sd_event *e, uint64_t usec)
ADDRESS(sd_event_source, sd_event_source_disable_unref, (s), sd_event_source *s)
NUMBER(sd_event_source_get_enabled, (s, enabled), sd_event_source *s, int *enabled)
NUMBER(sd_event_source_get_pending, (s), sd_event_source *s)
ADDRESS(sd_event, sd_event_source_get_event, (s), sd_event_source *s)
NUMBER(sd_event_source_get_time_accuracy, (s, usec), sd_event_source *s, uint64_t *usec)
NUMBER(sd_event_source_set_enabled, (s, enabled), sd_event_source *s, int enabled)
NUMBER(sd_event_source_set_io_events, (s, events), sd_event_source *s, uint32_t events)
NUMBER(sd_event_source_set_io_fd_own, (s, own), sd_event_source *s, int own)
NUMBER(sd_event_source_set_priority, (s, priority), sd_event_source *s, int64_t priority)
NUMBER(sd_event_source_set_time, (s, usec), sd_event_source *s, uint64_t usec)
ADDRESS(sd_event, sd_event_unref, (e), sd_event *e)
NUMBER(sd_journal_stream_fd, (identifier, priority, level_prefix), const char *identifier, int priority, int level_prefix)
NUMBER(sd_pid_get_session, (pid, session), pid_t pid, char **session)
NUMBER(sd_uid_get_display, (uid, session), uid_t uid, char **session)

// Those with any number of arguments hand them on as a list.

int sd_bus_call_method_async(sd_bus *bus, sd_bus_slot **slot, const char *destination, const char *path, const char *interface,
                             const char *member, sd_bus_message_handler_t callback, void *userdata, const char *types, ...) {
    FOUND(int, "sd_bus_call_method_asyncv", sd_bus *, sd_bus_slot **, const char *, const char *, const char *, const char *,
          sd_bus_message_handler_t, void *, const char *, va_list);
    if (!function) return -missing();
    va_list arguments;
    va_start(arguments, types);
    int result = function(bus, slot, destination, path, interface, member, callback, userdata, types, arguments);
    va_end(arguments);
    return result;
}

int sd_bus_message_read(sd_bus_message *m, const char *types, ...) {
    FOUND(int, "sd_bus_message_readv", sd_bus_message *, const char *, va_list);
    if (!function) return -missing();
    va_list arguments;
    va_start(arguments, types);
    int result = function(m, types, arguments);
    va_end(arguments);
    return result;
}
