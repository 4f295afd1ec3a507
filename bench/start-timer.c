/*
 * start-timer ROUNDS WARM_UP PAYLOAD OUT NAME WORDS… [-- NAME WORDS…]…
 *
 * start-timer.bash for machines with a C compiler: the same calls, the same lines. A shell is forked before it becomes the program that is
 * timed, which takes a fifth of a millisecond; a program of two milliseconds should not be charged with that.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { held_by_a_pipe = 60000 };

static char *payload;
static size_t size;

static void read_payload(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in) exit(1);
    for (size_t got = 1; got > 0; size += got) {
        payload = realloc(payload, size + 65536);
        if (!payload) exit(1);
        got = fread(payload + size, 1, 65536, in);
    }
    fclose(in);
}

/* The reading end of a pipe that holds the payload; what does not fit is written while it is read. */
static int filled_pipe(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) exit(1);
    pid_t writer = size > held_by_a_pipe ? fork() : 0;
    if (writer == 0) {
        if (write(ends[1], payload, size) < 0) exit(1);
        if (size > held_by_a_pipe) _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double start(char **words)
{
    int input = filled_pipe(), status;
    pid_t child;
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    posix_spawn_file_actions_adddup2(&streams, input, 0);
    posix_spawn_file_actions_addopen(&streams, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&streams, 1, 2);
    double begun = microseconds();
    if (posix_spawn(&child, words[0], &streams, NULL, words, environ) != 0) exit(1);
    if (waitpid(child, &status, 0) != child) exit(1);
    double took = microseconds() - begun;
    close(input);
    posix_spawn_file_actions_destroy(&streams);
    while (size > held_by_a_pipe && waitpid(-1, NULL, WNOHANG) > 0) {}
    return took;
}

int main(int count, char **words)
{
    if (count < 7) return 2;
    int rounds = atoi(words[1]), warm = atoi(words[2]);
    read_payload(words[3]);
    FILE *out = fopen(words[4], "a");
    if (!out) return 1;
    for (int i = 5; i < count; i++) if (strcmp(words[i], "--") == 0) words[i] = NULL;
    for (int round = -warm; round < rounds; round++) {
        for (int at = 5; at < count; at++) {
            double took = start(words + at + 1);
            if (round >= 0) fprintf(out, "%s %.0f\n", words[at], took);
            while (at < count && words[at]) at++;
        }
    }
    return fclose(out) == 0 ? 0 : 1;
}
