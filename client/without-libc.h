/*
 * What the client takes from the C library, for one system and processor, in place of the library: that one asks the processor at every start
 * what it can do, and on a virtual machine each of these questions goes to the host, which takes as long as the rest of a start.
 */
#if !defined(__linux__) || !defined(__x86_64__) || defined(__ILP32__)
#error "the client needs a C library here"
#endif
#include <sys/mman.h>
#include <sys/syscall.h>
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS 0x20
#endif

char **environ;
static int last_error;

int *__errno_location(void)
{
    return &last_error;
}

/* The program begins here: the stack holds the count of words, the words, NULL and the environment. */
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall begin\n");

__attribute__((used)) static _Noreturn void begin(long *stack)
{
    char **words = (char **)(stack + 1);
    environ = words + stack[0] + 1;
    _exit(main((int)stack[0], words));
}

static long ask_system(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    if (result >= 0 || result < -4095) return result;
    last_error = (int)-result;
    return -1;
}
#define system3(name, a, b, c) ask_system(SYS_##name, (long)(a), (long)(b), (long)(c), 0, 0, 0)

void _exit(int status) { for (;;) system3(exit_group, status, 0, 0); }
ssize_t read(int fd, void *to, size_t size) { return system3(read, fd, to, size); }
ssize_t write(int fd, const void *from, size_t size) { return system3(write, fd, from, size); }
int close(int fd) { return (int)system3(close, fd, 0, 0); }
int access(const char *path, int mode) { return (int)system3(access, path, mode, 0); }
ssize_t readlink(const char *path, char *to, size_t size) { return system3(readlink, path, to, size); }
int lstat(const char *path, struct stat *to) { return (int)system3(lstat, path, to, 0); }
int stat(const char *path, struct stat *to) { return (int)system3(stat, path, to, 0); }
int fstat(int fd, struct stat *to) { return (int)system3(fstat, fd, to, 0); }
int poll(struct pollfd *all, nfds_t count, int within_ms) { return (int)system3(poll, all, count, within_ms); }
int socket(int family, int type, int protocol) { return (int)system3(socket, family, type, protocol); }
int pipe(int ends[2]) { return (int)system3(pipe, ends, 0, 0); }
int dup2(int from, int to) { return (int)system3(dup2, from, to, 0); }
int kill(pid_t pid, int signal) { return (int)system3(kill, pid, signal, 0); }
pid_t fork(void) { return (pid_t)system3(fork, 0, 0, 0); }
pid_t getpid(void) { return (pid_t)system3(getpid, 0, 0, 0); }
pid_t getppid(void) { return (pid_t)system3(getppid, 0, 0, 0); }
uid_t geteuid(void) { return (uid_t)system3(geteuid, 0, 0, 0); }
int execv(const char *path, char *const *words) { return (int)system3(execve, path, words, environ); }

/* No file is made here, so there is no mode. */
int open(const char *path, int flags, ...) { return (int)system3(open, path, flags, 0); }

char *getcwd(char *to, size_t size)
{
    /* A folder that is no longer below the root is told without a slash. */
    return system3(getcwd, to, size, 0) > 0 && *to == '/' ? to : NULL;
}

int connect(int fd, const struct sockaddr *at, socklen_t size)
{
    return (int)system3(connect, fd, at, size);
}

int getsockopt(int fd, int level, int name, void *to, socklen_t *size)
{
    return (int)ask_system(SYS_getsockopt, fd, level, name, (long)to, (long)size, 0);
}

/* Signals are taken or left as they are; nobody handles one. */
void (*signal(int number, void (*what)(int)))(int)
{
    struct { void (*what)(int); unsigned long flags; void (*back)(void); unsigned long mask; } now = {what, 0, NULL, 0};
    ask_system(SYS_rt_sigaction, number, (long)&now, 0, sizeof now.mask, 0, 0);
    return SIG_DFL;
}

/* Nothing is given back: a call is over before that would pay. Each piece is told its size. */
void *realloc(void *old, size_t size)
{
    static _Alignas(16) char near[1 << 20];
    static size_t used;
    const size_t whole = (size + 31) & ~(size_t)15;
    char *at;
    if (size > (size_t)1 << 40) return NULL;
    if (whole <= sizeof near - used) {
        at = near + used;
        used += whole;
    } else {
        long got = ask_system(SYS_mmap, 0, (long)whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (got == -1) return NULL;
        at = (char *)got;
    }
    *(size_t *)at = size;
    at += 16;
    if (old) {
        const size_t had = *(size_t *)((char *)old - 16);
        memcpy(at, old, had < size ? had : size);
    }
    return at;
}

void *memcpy(void *to, const void *from, size_t size)
{
    void *result = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
    return result;
}

void *memset(void *to, int byte, size_t size)
{
    void *result = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
    return result;
}

void *memchr(const void *in, int byte, size_t size)
{
    for (const char *at = in; size > 0; at++, size--) if (*at == (char)byte) return (void *)at;
    return NULL;
}

int memcmp(const void *one, const void *other, size_t size)
{
    const unsigned char *a = one, *b = other;
    for (; size > 0; a++, b++, size--) if (*a != *b) return *a - *b;
    return 0;
}

size_t strlen(const char *text)
{
    const char *at = text;
    while (*at) at++;
    return (size_t)(at - text);
}

int strncmp(const char *one, const char *other, size_t size)
{
    for (; size > 0 && *one && *one == *other; size--) one++, other++;
    return size == 0 ? 0 : (unsigned char)*one - (unsigned char)*other;
}

int strcmp(const char *one, const char *other)
{
    return strncmp(one, other, (size_t)-1);
}

char *strcpy(char *to, const char *from)
{
    return memcpy(to, from, strlen(from) + 1);
}

char *strchr(const char *in, int sign)
{
    for (; *in != (char)sign; in++) if (!*in) return NULL;
    return (char *)in;
}

char *strrchr(const char *in, int sign)
{
    const char *last = NULL;
    for (;; in++) {
        if (*in == (char)sign) last = in;
        if (!*in) return (char *)last;
    }
}

char *strpbrk(const char *in, const char *signs)
{
    for (; *in; in++) if (strchr(signs, *in)) return (char *)in;
    return NULL;
}

char *strstr(const char *in, const char *what)
{
    const size_t size = strlen(what);
    for (; *in; in++) if (strncmp(in, what, size) == 0) return (char *)in;
    return size == 0 ? (char *)in : NULL;
}

/* Decimal numbers without a sign; one that is too large is none. */
long strtol(const char *text, char **end, int base)
{
    long value = 0;
    (void)end, (void)base;
    for (; *text >= '0' && *text <= '9' && value < 1000000000000; text++) value = 10 * value + (*text - '0');
    return value;
}

char *getenv(const char *name)
{
    const size_t size = strlen(name);
    for (char **at = environ; *at; at++) if (strncmp(*at, name, size) == 0 && (*at)[size] == '=') return *at + size + 1;
    return NULL;
}
