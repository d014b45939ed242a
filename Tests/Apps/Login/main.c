// As much of login1 as its clients see of sleep, shutdown, idleness and the lock of a session, on the bus at argv[1].
//
// Each line of standard input is an action: "sleep 1", "shutdown 1", "lock [ID]", "unlock [ID]", "session ID UID USER", "end ID",
// "idle USEC" (since that moment of the monotonic clock), "busy"; the session is 7 by default. Standard output tells "ready",
// "inhibited WHAT MODE" and, when the lock has been given back, "released".
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

static int lock = -1;

static int inhibit(sd_bus_message *message, void *userdata, sd_bus_error *error) {
    const char *what, *who, *why, *mode;
    int ends[2];
    (void)userdata, (void)error;
    if (sd_bus_message_read(message, "ssss", &what, &who, &why, &mode) < 0 || pipe(ends) < 0) return -1;
    lock = ends[0];
    int result = sd_bus_reply_method_return(message, "h", ends[1]);
    close(ends[1]);
    printf("inhibited %s %s\n", what, mode);
    return result;
}

static struct session {
    char id[16], user[32];
    uint32_t uid;
} sessions[8];

static int list(sd_bus_message *message, void *userdata, sd_bus_error *error) {
    sd_bus_message *reply = 0;
    (void)userdata, (void)error;
    if (sd_bus_message_new_method_return(message, &reply) < 0 ||
        sd_bus_message_open_container(reply, 'a', "(susso)") < 0)
        return -1;
    for (struct session *each = sessions; each < sessions + 8; each++)
        if (*each->id)
            sd_bus_message_append(reply, "(susso)", each->id, each->uid, each->user, "", "/org/freedesktop/login1/x");
    sd_bus_message_close_container(reply);
    int result = sd_bus_send(0, reply, 0);
    sd_bus_message_unref(reply);
    return result < 0 ? result : 1;
}

static uint64_t idle_since;

static int idle_hint(sd_bus *bus, const char *path, const char *interface, const char *property, sd_bus_message *reply,
                     void *userdata, sd_bus_error *error) {
    (void)bus, (void)path, (void)interface, (void)property, (void)userdata, (void)error;
    return sd_bus_message_append(reply, "b", idle_since != 0);
}

static int idle_since_hint(sd_bus *bus, const char *path, const char *interface, const char *property,
                           sd_bus_message *reply, void *userdata, sd_bus_error *error) {
    (void)bus, (void)path, (void)interface, (void)property, (void)userdata, (void)error;
    return sd_bus_message_append(reply, "t", idle_since);
}

static const sd_bus_vtable manager[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Inhibit", "ssss", "h", inhibit, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("ListSessions", "", "a(susso)", list, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_PROPERTY("IdleHint", "b", idle_hint, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("IdleSinceHintMonotonic", "t", idle_since_hint, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_SIGNAL("SessionNew", "so", 0),
    SD_BUS_SIGNAL("SessionRemoved", "so", 0),
    SD_BUS_SIGNAL("PrepareForSleep", "b", 0),
    SD_BUS_SIGNAL("PrepareForShutdown", "b", 0),
    SD_BUS_VTABLE_END,
};

static void obey(sd_bus *bus, char *deed) {
    const char *place = "/org/freedesktop/login1", *of = "org.freedesktop.login1.Manager";
    const char *its = "org.freedesktop.login1.Session";
    char verb[16] = "", id[16] = "7", user[32] = "", *session = 0;
    unsigned uid = 0;
    deed[strcspn(deed, "\n")] = 0;
    sscanf(deed, "%15s %15s %u %31s", verb, id, &uid, user);
    if (sd_bus_path_encode("/org/freedesktop/login1/session", id, &session) < 0) return;
    if (!strncmp(deed, "sleep ", 6)) sd_bus_emit_signal(bus, place, of, "PrepareForSleep", "b", deed[6] == '1');
    if (!strncmp(deed, "shutdown ", 9)) sd_bus_emit_signal(bus, place, of, "PrepareForShutdown", "b", deed[9] == '1');
    if (!strcmp(verb, "lock")) sd_bus_emit_signal(bus, session, its, "Lock", "");
    if (!strcmp(verb, "unlock")) sd_bus_emit_signal(bus, session, its, "Unlock", "");
    if (!strcmp(verb, "idle") || !strcmp(verb, "busy")) {
        idle_since = !strcmp(verb, "idle") ? strtoull(id, 0, 10) : 0;
        sd_bus_emit_properties_changed(bus, place, of, "IdleHint", "IdleSinceHintMonotonic", NULL);
    }
    for (struct session *each = sessions; each < sessions + 8; each++) {
        if (!strcmp(verb, "session") && !*each->id) {
            strcpy(each->id, id), strcpy(each->user, user), each->uid = uid;
            sd_bus_emit_signal(bus, place, of, "SessionNew", "so", id, session);
            break;
        }
        if (!strcmp(verb, "end") && !strcmp(each->id, id)) {
            *each->id = 0;
            sd_bus_emit_signal(bus, place, of, "SessionRemoved", "so", id, session);
        }
    }
    free(session);
}

int main(int count, char **words) {
    sd_bus *bus = 0;
    setvbuf(stdout, 0, _IONBF, 0);
    if (count != 2 || sd_bus_new(&bus) < 0 || sd_bus_set_address(bus, words[1]) < 0 ||
        sd_bus_set_bus_client(bus, 1) < 0 || sd_bus_negotiate_fds(bus, 1) < 0 || sd_bus_start(bus) < 0 ||
        sd_bus_add_object_vtable(bus, 0, "/org/freedesktop/login1", "org.freedesktop.login1.Manager", manager, 0) < 0 ||
        sd_bus_request_name(bus, "org.freedesktop.login1", 0) < 0)
        return 1;
    printf("ready\n");
    for (;;) {
        int result;
        while ((result = sd_bus_process(bus, 0)) > 0) {
        }
        if (result < 0 || sd_bus_flush(bus) < 0) return 1;
        struct pollfd waits[] = {{0, POLLIN, 0}, {sd_bus_get_fd(bus), sd_bus_get_events(bus), 0}, {lock, 0, 0}};
        if (poll(waits, 3, -1) < 0) return 1;
        if (waits[2].revents) {
            close(lock);
            lock = -1;
            printf("released\n");
        }
        if (waits[0].revents) {
            char deed[64] = "";
            // One line at a time: several may have come.
            for (size_t size = 0; size < sizeof deed - 1; size++) {
                if (read(0, deed + size, 1) <= 0) return 0;
                if (deed[size] == '\n') break;
            }
            obey(bus, deed);
        }
    }
}
