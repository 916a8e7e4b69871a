/*
 * Preloaded into every User-Mode-Linux kernel of a lab: mends seven faults of UML from outside, so that the
 * distribution's own kernel can be used. Each wraps one C library call that the kernel makes.
 *
 * 1. ptrace: processors whose extended state is larger than UML knows.
 *    UML keeps a guest program's floating-point registers in a buffer of fixed size (2696 bytes: all components
 *    up to PKRU) and writes them back with PTRACE_SETREGSET. The host refuses a write that is shorter than its
 *    own extended state (EFAULT), which with AMX has 11008 bytes: every guest program dies at its first switch.
 *    Such writes are lengthened; what lies behind PKRU is given as unused in the header's bit map. A guest
 *    program can own no AMX state: permission is asked with arch_prctl(2), which UML does not hand on.
 *    Layout: Intel SDM volume 1, section 13.4 (XSAVE area, standard form).
 *
 * 2. epoll_wait: lost interrupts.
 *    UML fetches up to 64 edge-triggered events into one static array and handles them in a loop. A handler may
 *    let soft interrupts run, and with them a nested signal, which fetches into the same array: the outer loop
 *    goes on with the wrong events, and an edge is lost for ever (seen: a disk's completion unread in its
 *    socket, all further disk requests waiting behind it). Fetching one event at a time leaves no rest to lose.
 *
 * 3. sigsuspend: a sleep that begins after its wake-up call.
 *    The idle loop sleeps with interrupts soft-disabled. A SIGIO in the moment before is only noted, and the node
 *    sleeps until the next timer (seen: 200 ms and more per packet on idle links). If an event waits in the epoll
 *    set, the sleep is left out; signals are blocked between that look and the real, atomic sleep.
 *
 * 4. timer_settime, timer_gettime: an alarm that is lost for good.
 *    Time passes by one-shot timers, each set by the handler of the last. An alarm that comes while interrupts are
 *    soft-disabled is noted; when they are enabled inside the handler itself, as soft interrupts do, the note is
 *    thrown away ("do not reenter the handler"). No alarm comes any more: the node's clock stands still, and
 *    whatever sleeps or is throttled sleeps for ever (seen: an array's disks, after six minutes of load). So each
 *    alarm is repeated until the next is set. Whoever asks sees the timer as the kernel set it: it has run out.
 *
 * 5. execvp: a reboot that finds its own disks locked.
 *    A guest that reboots starts its kernel again in the same process. The helpers of its last life share its files,
 *    and so its locks; it ends those of the programs that it still knows, and a program that was just ending is not
 *    among them (seen: one of eleven reboots under load panicked, "file already locked", with no root file system).
 *    All of them are ended first: power that was cut, or a reset, leaves nothing of a machine either.
 *
 * 6. socket: a card that hears itself.
 *    With `transport=raw` a card sends by one packet socket and receives by another on the same interface, and the host
 *    gives whoever listens there a copy of what leaves (packet(7)). Each packet that a node sent interrupted it once
 *    more, and was counted as received (seen: servers that only sent had received as much). No packet socket takes
 *    what leaves any more.
 *
 * 7. timer_settime: a second of every boot in which nothing is done.
 *    A kernel that boots has periodic ticks (HZ, 100 a second) until it has chosen its clock, and one-shot timers ever after.
 *    In between it times each of its ways to compute RAID 6 for 16 ticks, to choose the fastest (lib/raid6/algos.c):
 *    0.83 s of a processor for each node of a lab. Periodic ticks come 16 times as often, so that it times each for 10 ms;
 *    lab-init sets the clock that counted them, and `lpj=` on the command line says what a loop of delays would count.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STATE_MAX = 65536, STATE_BITS_OFFSET = 512, STATE_KNOWN_TO_UML = 2696 };
enum { REPEAT_NS = 20000000, BOOT_TICKS = 16 };
static const uint64_t COMPONENTS_KNOWN_TO_UML = 0x2ff; /* x87, SSE, AVX, MPX, AVX-512, PKRU */

typedef long (*ptrace_call)(int request, ...);
typedef int (*epoll_wait_call)(int, struct epoll_event *, int, int);
typedef int (*sigsuspend_call)(const sigset_t *);
typedef int (*timer_settime_call)(timer_t, int, const struct itimerspec *, struct itimerspec *);
typedef int (*timer_gettime_call)(timer_t, struct itimerspec *);
typedef int (*execvp_call)(const char *, char *const *);
typedef int (*socket_call)(int, int, int);

static ptrace_call next_ptrace;
static epoll_wait_call next_epoll_wait;
static sigsuspend_call next_sigsuspend;
static timer_settime_call next_timer_settime;
static timer_gettime_call next_timer_gettime;
static execvp_call next_execvp;
static socket_call next_socket;
static int epoll_set = -1;
static struct timespec alarm_at; /* of the kernel's one timer; by CLOCK_MONOTONIC */

__attribute__((constructor)) static void find_next(void)
{
    next_ptrace = (ptrace_call)dlsym(RTLD_NEXT, "ptrace");
    next_epoll_wait = (epoll_wait_call)dlsym(RTLD_NEXT, "epoll_wait");
    next_sigsuspend = (sigsuspend_call)dlsym(RTLD_NEXT, "sigsuspend");
    next_timer_settime = (timer_settime_call)dlsym(RTLD_NEXT, "timer_settime");
    next_timer_gettime = (timer_gettime_call)dlsym(RTLD_NEXT, "timer_gettime");
    next_execvp = (execvp_call)dlsym(RTLD_NEXT, "execvp");
    next_socket = (socket_call)dlsym(RTLD_NEXT, "socket");
}

static long set_whole_state(int process, const struct iovec *given)
{
    static unsigned char state[STATE_MAX]; /* only the kernel's one thread calls ptrace */
    static size_t size;
    struct iovec whole = {state, sizeof state};
    uint64_t bits;

    if (!size) {
        if (next_ptrace(PTRACE_GETREGSET, process, (void *)NT_X86_XSTATE, &whole) < 0)
            return -1;
        size = whole.iov_len;
    }
    if (given->iov_len >= size)
        return next_ptrace(PTRACE_SETREGSET, process, (void *)NT_X86_XSTATE, given);
    memset(state, 0, size);
    memcpy(state, given->iov_base, given->iov_len);
    memcpy(&bits, state + STATE_BITS_OFFSET, sizeof bits);
    bits &= COMPONENTS_KNOWN_TO_UML;
    memcpy(state + STATE_BITS_OFFSET, &bits, sizeof bits);
    whole.iov_len = size;
    return next_ptrace(PTRACE_SETREGSET, process, (void *)NT_X86_XSTATE, &whole);
}

long ptrace(enum __ptrace_request request, ...)
{
    va_list arguments;
    int process;
    void *address, *data;

    va_start(arguments, request);
    process = va_arg(arguments, int);
    address = va_arg(arguments, void *);
    data = va_arg(arguments, void *);
    va_end(arguments);
    if (request == PTRACE_SETREGSET && (uintptr_t)address == NT_X86_XSTATE &&
        ((struct iovec *)data)->iov_len <= STATE_KNOWN_TO_UML)
        return set_whole_state(process, data);
    return next_ptrace(request, process, address, data);
}

int epoll_wait(int set, struct epoll_event *events, int events_max, int timeout_ms)
{
    epoll_set = set;
    return next_epoll_wait(set, events, events_max > 1 ? 1 : events_max, timeout_ms);
}

int sigsuspend(const sigset_t *mask)
{
    struct pollfd waiting = {.fd = epoll_set, .events = POLLIN};
    sigset_t all, old;
    int answer = -1;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &old);
    if (epoll_set < 0 || poll(&waiting, 1, 0) <= 0)
        answer = next_sigsuspend(mask);
    sigprocmask(SIG_SETMASK, &old, NULL);
    return answer;
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *given, struct itimerspec *old)
{
    struct itimerspec repeated = *given;
    int is_periodic = given->it_interval.tv_sec || given->it_interval.tv_nsec;
    int is_one_shot = !flags && (given->it_value.tv_sec || given->it_value.tv_nsec) && !is_periodic;

    if (is_periodic) {
        repeated.it_value.tv_nsec /= BOOT_TICKS;
        repeated.it_interval.tv_nsec /= BOOT_TICKS;
    }
    if (is_one_shot) {
        repeated.it_interval.tv_nsec = REPEAT_NS;
        clock_gettime(CLOCK_MONOTONIC, &alarm_at);
        alarm_at.tv_sec += given->it_value.tv_sec;
        alarm_at.tv_nsec += given->it_value.tv_nsec;
        if (alarm_at.tv_nsec >= 1000000000) {
            alarm_at.tv_sec++;
            alarm_at.tv_nsec -= 1000000000;
        }
    }
    return next_timer_settime(timer, flags, &repeated, old);
}

int timer_gettime(timer_t timer, struct itimerspec *left)
{
    int answer = next_timer_gettime(timer, left);
    struct timespec now;

    if (answer || left->it_interval.tv_sec || left->it_interval.tv_nsec != REPEAT_NS)
        return answer;
    clock_gettime(CLOCK_MONOTONIC, &now);
    left->it_interval.tv_nsec = 0;
    if (now.tv_sec > alarm_at.tv_sec || (now.tv_sec == alarm_at.tv_sec && now.tv_nsec >= alarm_at.tv_nsec))
        memset(left, 0, sizeof *left);
    return 0;
}

static int kill_children(void)
{
    char path[64];
    FILE *children;
    int child, killed = 0;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    children = fopen(path, "r");
    if (!children)
        return 0;
    while (fscanf(children, "%d", &child) == 1)
        killed += !kill(child, SIGKILL);
    fclose(children);
    return killed;
}

static void end_children(void)
{
    /* All again before each wait: one that came meanwhile would be waited for in vain. */
    while (kill_children() && (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR))
        continue;
}

int execvp(const char *file, char *const *arguments)
{
    end_children();
    return next_execvp(file, arguments);
}

int socket(int domain, int type, int protocol)
{
    int made = next_socket(domain, type, protocol), yes = 1;

    if (made >= 0 && domain == AF_PACKET) /* a host before Linux 4.20 does not know it, and all is as it was */
        setsockopt(made, SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof yes);
    return made;
}
