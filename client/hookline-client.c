/*
 * hookline-client HOOKS_FILE [--on-failure continue|block] [--event NAME]
 *
 * The client as a compiled program, for machines that have a C compiler: starting a shell takes longer than a whole call of this program.
 * It calls a running daemon like the script in the same directory, with the same checks in the same order. Everything else is left to
 * the script in-process.bash. docs/daemon-protocol.md describes the protocol.
 *
 * The compiler gets two strings: VERSION of the package, and CLIENT, the directory of the script.
 */
#define _XOPEN_SOURCE 700
#define _DARWIN_C_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include "checkout.h"
#include "package.h"
#include "words.h"

enum { silence_ms = 2000, pause_ms = 5000, offered_first = 65536, most_payload = 25 << 20 };

/* The content of the daemon's record. */
static struct { char *mark, *pid, *start, *port, *key, *token, *secret, *socket; } record;

/* The path of the record; at first the state directory. */
static struct text record_path;

/* True if the connection is established. A socket connects at once; a port may take longer. */
static int is_open;

static void open_missing_descriptors(void);
static void find_state(void);
static int is_ours(const char *below);
static void find_record(void);
static int is_header(const char *value);
static int is_alive(void);
static int is_running(void);
static void open_wire(void);
static int is_opening(const struct sockaddr *at, socklen_t size);
static int is_connected(void);
static void read_payload(void);
static void ask(const char *cwd, struct source *daemon);
static int answer(struct source *daemon);

int main(int count, char **words)
{
    static char cwd[65536];
    open_missing_descriptors();
    const char *trouble = read_words(count, words);
    if (trouble) fail(trouble);
    find_state();
    check_package(words);
    if (!getcwd(cwd, sizeof cwd)) in_process("refused");
    if (*call.file != '/') {
        struct text whole = {0};
        add_words(&whole, (const char *[]){cwd, "/", call.file, NULL});
        call.file = whole.at;
    }
    const char *off = getenv("HOOKLINE");
    /* Hooks that are turned off are logged; `run` writes the log. */
    if (off && strcmp(off, "0") == 0) in_process("none");
    if (is_in_checkout(record_path.at, cwd)) in_process("refused");
    find_record();
    if (!is_header(call.file) || !is_header(cwd)) in_process("refused");
    if (!is_alive()) in_process("none");
    /* The client must survive a daemon that dies during the call. */
    signal(SIGPIPE, SIG_IGN);
    /* The daemon accepts the connection while the payload is read. */
    open_wire();
    read_payload();
    /* If the process id now belongs to another process, that process must not get the token. */
    if (!is_running()) in_process("none");
    /* A daemon that exits removes its record before it releases the port. */
    if (access(record_path.at, F_OK) != 0) in_process("none");
    if (!is_connected()) in_process("dead");
    static struct source daemon;
    daemon.fd = call.wire, daemon.within_ms = silence_ms;
    ask(cwd, &daemon);
    return answer(&daemon);
}

/* A file or a connection would take the place of one that the host has closed. Nothing can be written here: an answer that is lost denies. */
static void open_missing_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd) _exit(2);
}

/*
 * With a relative path, the current directory, which may be a checkout, could provide a record. A path through /proc/self or /dev/fd can be one:
 * /proc/self/cwd.
 */
static void find_state(void)
{
    const char *named = getenv("HOOKLINE_HOME"), *home = getenv("HOME"), *below = "/.local/state/hookline", *name = "HOME";
#ifdef __APPLE__
    below = "/Library/Application Support/hookline";
#else
    const char *xdg = getenv("XDG_STATE_HOME");
    if (xdg && *xdg == '/') home = xdg, below = "/hookline", name = "XDG_STATE_HOME";
#endif
    if (named && *named) home = named, below = "", name = "HOOKLINE_HOME";
    /* The check for /proc reads the text. */
    while (home && *home == '/' && (home[1] == '/' || (home[1] == '.' && home[2] == '/'))) home += home[1] == '/' ? 1 : 2;
    add_words(&record_path, (const char *[]){home ? home : "", below, NULL});
    /* With a slash at the end, checks would follow a link. */
    for (char *last; record_path.size > 1; record_path.size = (size_t)(last - record_path.at), *last = '\0') {
        last = strrchr(record_path.at, '/');
        if (last == record_path.at || !last || (strcmp(last, "/") != 0 && strcmp(last, "/.") != 0)) break;
    }
    const int is_own = is_inside(record_path.at, "/proc/self") || is_inside(record_path.at, "/proc/thread-self") || is_inside(record_path.at, "/dev/fd");
    if (*record_path.at == '/' && !is_own) return;
    struct text wrong = {0};
    add_words(&wrong, (const char *[]){"The state directory ", record_path.at, " is not an absolute path. Set ",
        name, " to an absolute path.", NULL});
    fail(wrong.at);
}

/*
 * Whether only this user can have created a directory of the state directory: its content is trusted, and another user's directory or
 * link could point into a checkout. The state directory itself may be a link that this user or root created.
 */
static int is_ours(const char *below)
{
    struct text path = {0};
    struct stat found;
    add_words(&path, (const char *[]){record_path.at, below, NULL});
    if (lstat(path.at, &found) != 0) return 0;
    if (S_ISLNK(found.st_mode) && (*below || (found.st_uid != geteuid() && found.st_uid != 0) || stat(path.at, &found) != 0)) return 0;
    return S_ISDIR(found.st_mode) && found.st_uid == geteuid() && !(found.st_mode & 022);
}

/* The path of the record is made from the path of the hooks file, as it was given. A part that is too long for a file name is split into directories. */
static void find_record(void)
{
    static char text[16384];
    size_t size = 0;
    if (!is_ours("") || !is_ours("/daemon") || !is_ours("/daemon/at")) in_process("none");
    add_words(&record_path, (const char *[]){"/daemon/at/", NULL});
    struct text name = {0};
    for (const char *at = call.file; *at; at++) {
        if (*at == '%' || *at == '/') add(&name, *at == '%' ? "%25" : "%2F", 3);
        else add(&name, at, 1);
    }
    for (; name.size - size > 200; size += 200) add(&record_path, name.at + size, 200), add(&record_path, "+/", 2);
    add_words(&record_path, (const char *[]){name.at + size, NULL});

    struct stat found;
    int in = open_file(record_path.at);
    if (in < 0) in_process("none");
    if (fstat(in, &found) != 0 || found.st_uid != geteuid() || found.st_mode & 022) in_process("none");
    ssize_t got = read(in, text, sizeof text - 1);
    close(in);
    char *rest = text, *line = got > 0 ? next_word(&rest, '\n') : NULL;
    char **words[] = {&record.mark, &record.pid, &record.start, &record.port, &record.key, &record.token, &record.secret};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        *words[i] = next_word(&line, ' ');
        if (!*words[i]) in_process("none");
    }
    if (strcmp(record.mark, "hookline/1") != 0) in_process("none");
    char *node = next_word(&rest, '\n');
    if (node) call.node = node;
    record.socket = next_word(&rest, '\n');
}

/* A header is one line, and spaces at its end are lost. */
static int is_header(const char *value)
{
    size_t size = strlen(value);
    return !strpbrk(value, "\r\n") && size > 0 && !strchr(" \t", value[size - 1]);
}

static int is_alive(void)
{
    char *end;
    long pid = strtol(record.pid, &end, 10);
    return pid > 1 && *end == '\0' && kill((pid_t)pid, 0) == 0;
}

/* Whether it is the same process, and not another one with the same process id. A zombie counts as exited. */
static int is_running(void)
{
    struct text path = {0};
    char stat[4096] = "";
    add_words(&path, (const char *[]){"/proc/", record.pid, "/stat", NULL});
    int in = open(path.at, O_RDONLY | O_CLOEXEC);
#ifdef __linux__
    const int is_told = strcmp(record.start, "-") != 0;
#else
    const int is_told = 0;
#endif
    if (in < 0) return is_alive() && !is_told;
    ssize_t got = read(in, stat, sizeof stat - 1);
    close(in);
    char *rest = got > 0 ? strrchr(stat, ')') : NULL;
    if (!rest || rest[1] != ' ') return 0;
    rest += 2;
    char *state = next_word(&rest, ' '), *tick = NULL;
    for (int field = 4; field <= 22; field++) tick = next_word(&rest, ' ');
    return tick && !strchr("ZX", *state) && strcmp(tick, record.start) == 0;
}

/* Only this user can have created the socket. The port is used when there is no usable socket. */
static void open_wire(void)
{
    struct sockaddr_un there = {.sun_family = AF_UNIX};
    struct sockaddr_in port = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    if (record.socket && *record.socket && strlen(record.socket) < sizeof there.sun_path) {
        strcpy(there.sun_path, record.socket);
        if (is_opening((struct sockaddr *)&there, sizeof there)) return;
    }
    long number = strtol(record.port, NULL, 10);
    if (number < 1 || number > 65535) return;
    port.sin_port = htons((unsigned short)number);
    is_opening((struct sockaddr *)&port, sizeof port);
}

static int is_opening(const struct sockaddr *at, socklen_t size)
{
#ifdef SOCK_CLOEXEC
    call.wire = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (call.wire < 0) return 0;
#else
    call.wire = socket(at->sa_family, SOCK_STREAM, 0);
    if (call.wire < 0) return 0;
    fcntl(call.wire, F_SETFD, FD_CLOEXEC);
    fcntl(call.wire, F_SETFL, O_NONBLOCK);
#endif
    is_open = connect(call.wire, at, size) == 0;
    if (is_open || errno == EINPROGRESS) return 1;
    close(call.wire);
    call.wire = -1;
    return 0;
}

static int is_connected(void)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (is_open) return 1;
    if (call.wire < 0 || !is_ready(call.wire, POLLOUT, silence_ms)) return 0;
    return getsockopt(call.wire, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

/*
 * Reads one line. A host may leave the pipe open without ending the line. If the input ends with `}` and no more is available, the payload
 * may be complete; the daemon checks this. Several lines need a reader that knows where an object ends.
 */
static void read_payload(void)
{
    int wait_ms = pause_ms;
    while (call.payload.size < most_payload && is_ready(0, POLLIN, wait_ms)) {
        char *to = room_for(&call.payload, 65536);
        ssize_t got = read(0, to, 65536);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) break;
        call.payload.size += (size_t)got;
        to[got] = '\0';
        char last = to[got - 1];
        if (last == '\n') break;
        wait_ms = last == '}' ? 0 : pause_ms;
    }
    size_t size = call.payload.size;
    if (size == 0 || size >= most_payload) in_process("refused");
    char *end = memchr(call.payload.at, '\n', size);
    if (!end) return;
    if (end != call.payload.at + size - 1 || size < 2 || end[-1] != '}') in_process("refused");
    call.payload.size--;
}

static void ask(const char *cwd, struct source *daemon)
{
    struct text request = {0}, env = {0};
    unsigned long self = (unsigned long)getpid();
#ifndef __linux__
    /* On Linux the daemon reads the environment by process id. */
    extern char **environ;
    self = 0;
    for (char **at = environ; *at; at++) add(&env, *at, strlen(*at) + 1);
#endif
    size_t body = env.size + call.payload.size;
    add_words(&request, (const char *[]){"POST /v1/hook/", record.key, " HTTP/1.1\r\nHost: 127.0.0.1:", record.port,
        "\r\nAuthorization: Bearer ", record.token, "\r\nContent-Type: application/json\r\nContent-Length: ", NULL});
    add_number(&request, body);
    add_words(&request, (const char *[]){"\r\nHookline-Client: 1 " VERSION " ", NULL});
    const unsigned long numbers[] = {(unsigned long)getppid(), self, env.size};
    for (int i = 0; i < 3; i++) add_number(&request, numbers[i]), add(&request, " ", 1);
    add_words(&request, (const char *[]){call.mode, "\r\nHookline-File: ", call.file, "\r\nHookline-Cwd: ", cwd, "\r\n", NULL});
    /* A long payload is announced first, because a daemon that hangs would never read it. */
    if (body > offered_first) {
        char line[13] = "";
        add_words(&request, (const char *[]){"Expect: 100-continue\r\n\r\n", NULL});
        if (!write_all(call.wire, request.at, request.size, silence_ms) || !receive(daemon, line, 12)) in_process("hung");
        if (strcmp(line, "HTTP/1.1 100") != 0) in_process("refused");
        if (!skip_line(daemon) || !skip_line(daemon)) in_process("hung");
        request.size = 0;
    } else {
        add(&request, "\r\n", 2);
    }
    add(&request, env.at, env.size);
    add(&request, call.payload.at, call.payload.size);
    if (!write_all(call.wire, request.at, request.size, silence_ms)) in_process("rerun");
}

static int answer(struct source *daemon)
{
    char status[13] = "", head[218 + sizeof VERSION] = "";
    /* A working daemon sends status 102 every second; no data for two seconds means it hangs. */
    do {
        if (!receive(daemon, status, 12)) in_process("rerun");
    } while (strcmp(status, "HTTP/1.1 102") == 0 && ++call.spent_s && skip_line(daemon) && skip_line(daemon));
    /* 409: the daemon has another version. It exits, and the next call finds a new one. A rejected call (4xx, 503) was not started. */
    if (strcmp(status, "HTTP/1.1 409") == 0) in_process("version");
    if (strncmp(status, "HTTP/1.1 4", 10) == 0 || strcmp(status, "HTTP/1.1 503") == 0) in_process("refused");
    if (strcmp(status, "HTTP/1.1 200") != 0) in_process("rerun");
    /* The head of an answer has a fixed length: secret, exit status, lengths of output and error, source, version. */
    if (!receive(daemon, head, sizeof head - 1)) in_process("rerun");
    if (strlen(record.secret) != 64 || memcmp(head + 15, record.secret, 64) != 0) in_process("rerun");
    long code = digits(head + 80, 3), out = digits(head + 84, 8), err = digits(head + 93, 8);
    if (code < 0 || code > 255 || out < 0 || err < 0) in_process("rerun");
    struct text body = {0};
    char *bytes = room_for(&body, (size_t)(out + err) + 1);
    if (!receive(daemon, bytes, (size_t)(out + err))) in_process("rerun");
    write_all(2, bytes + out, (size_t)err, -1);
    /* A denial that could not be written would have no effect, so the exit status denies. */
    if (write_all(1, bytes, (size_t)out, -1) || failure_status() != 2) return (int)code;
    static const char lost[] = "hookline: the answer could not be written to standard output; denied\n";
    write_all(2, lost, sizeof lost - 1, -1);
    return 2;
}
