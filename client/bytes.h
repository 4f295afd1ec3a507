/* Growing buffers, and reading and writing with time limits. If memory cannot be allocated, `out_of_memory` ends the program. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static _Noreturn void out_of_memory(void);

/* Always ends with a NUL, which is not part of `size`. */
struct text { char *at; size_t size, room; };

/* Returns where `size` more bytes can be written. The caller adds the number of written bytes to `size` of the text. */
static char *room_for(struct text *text, size_t size)
{
    if (text->size + size + 1 > text->room) {
        text->room = 2 * (text->size + size + 1);
        text->at = realloc(text->at, text->room);
        if (!text->at) out_of_memory();
    }
    text->at[text->size + size] = '\0';
    return text->at + text->size;
}

static void add(struct text *text, const char *bytes, size_t size)
{
    if (size > 0) memcpy(room_for(text, size), bytes, size);
    else room_for(text, 0);
    text->size += size;
}

/* `words` ends with NULL. */
static void add_words(struct text *text, const char *const *words)
{
    for (; *words; words++) add(text, *words, strlen(*words));
}

static void add_number(struct text *text, unsigned long value)
{
    char digits[24], *at = digits + sizeof digits;
    do *--at = (char)('0' + value % 10); while (value /= 10);
    add(text, at, (size_t)(digits + sizeof digits - at));
}

/* The next word of a text, which is split in place; NULL when there is none left. */
static char *next_word(char **rest, char end)
{
    char *word = *rest, *at = word ? strchr(word, end) : NULL;
    if (at) *at = '\0';
    *rest = at ? at + 1 : NULL;
    return word;
}

/* The value of exactly `count` digits; -1 if one of them is not a digit. */
static long digits(const char *at, int count)
{
    long value = 0;
    for (; count > 0; count--, at++) {
        if (*at < '0' || *at > '9') return -1;
        value = 10 * value + (*at - '0');
    }
    return value;
}

static int is_ready(int fd, short events, int within_ms)
{
    struct pollfd one = {.fd = fd, .events = events};
    int ready;
    while ((ready = poll(&one, 1, within_ms)) < 0 && errno == EINTR) {}
    return ready > 0;
}

/* Contract: true if everything was written, with no pause longer than `within_ms` (-1: no limit). */
static int write_all(int fd, const char *bytes, size_t size, int within_ms)
{
    while (size > 0) {
        ssize_t took = write(fd, bytes, size);
        if (took < 0 && errno == EINTR) continue;
        if (took < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return 0;
        if (took < 0 && !is_ready(fd, POLLOUT, within_ms)) return 0;
        if (took > 0) bytes += took, size -= (size_t)took;
    }
    return 1;
}

/* A descriptor that is read through a buffer. */
struct source { int fd, within_ms; size_t at, end; char bytes[32768]; };

/* Contract: true if exactly `size` bytes were read, with no pause longer than the source allows. */
static int receive(struct source *from, char *to, size_t size)
{
    while (size > 0) {
        if (from->at == from->end) {
            if (!is_ready(from->fd, POLLIN, from->within_ms)) return 0;
            ssize_t got = read(from->fd, from->bytes, sizeof from->bytes);
            if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (got <= 0) return 0;
            from->at = 0, from->end = (size_t)got;
        }
        size_t part = from->end - from->at < size ? from->end - from->at : size;
        memcpy(to, from->bytes + from->at, part);
        from->at += part, to += part, size -= part;
    }
    return 1;
}

static int skip_line(struct source *from)
{
    char one = '\0';
    while (one != '\n') if (!receive(from, &one, 1)) return 0;
    return 1;
}
