/*
 * Lets a User-Mode-Linux kernel run on processors whose extended state is larger than it knows.
 *
 * UML up to 6.12 keeps a guest program's floating-point registers in a buffer of fixed size (2696 bytes: all
 * components up to PKRU) and writes them back with PTRACE_SETREGSET. The host refuses a write that is shorter
 * than its own extended state (EFAULT), which with AMX has 11008 bytes: every guest program dies at its first
 * switch. This library is preloaded into the kernel's process and lengthens such writes. What lies behind PKRU
 * is given as unused in the header's bit map; a guest program can own no AMX state, since permission for it is
 * asked with arch_prctl(2), which UML does not hand on.
 *
 * Layout: Intel SDM volume 1, section 13.4 (XSAVE area, standard form).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

enum { STATE_MAX = 65536, STATE_BITS_OFFSET = 512, STATE_KNOWN_TO_UML = 2696 };
static const uint64_t COMPONENTS_KNOWN_TO_UML = 0x2ff; /* x87, SSE, AVX, MPX, AVX-512, PKRU */

typedef long (*ptrace_call)(int request, ...);

static long set_whole_state(ptrace_call next, int process, const struct iovec *given)
{
    static unsigned char state[STATE_MAX]; /* UML has one thread that calls ptrace */
    static size_t size;
    struct iovec whole = {state, sizeof state};
    uint64_t bits;

    if (!size) {
        if (next(PTRACE_GETREGSET, process, (void *)NT_X86_XSTATE, &whole) < 0)
            return -1;
        size = whole.iov_len;
    }
    if (given->iov_len >= size)
        return next(PTRACE_SETREGSET, process, (void *)NT_X86_XSTATE, given);
    memset(state, 0, size);
    memcpy(state, given->iov_base, given->iov_len);
    memcpy(&bits, state + STATE_BITS_OFFSET, sizeof bits);
    bits &= COMPONENTS_KNOWN_TO_UML;
    memcpy(state + STATE_BITS_OFFSET, &bits, sizeof bits);
    whole.iov_len = size;
    return next(PTRACE_SETREGSET, process, (void *)NT_X86_XSTATE, &whole);
}

long ptrace(enum __ptrace_request request, ...)
{
    static ptrace_call next;
    va_list arguments;
    int process;
    void *address, *data;

    if (!next)
        next = (ptrace_call)dlsym(RTLD_NEXT, "ptrace");
    va_start(arguments, request);
    process = va_arg(arguments, int);
    address = va_arg(arguments, void *);
    data = va_arg(arguments, void *);
    va_end(arguments);
    if (request == PTRACE_SETREGSET && (uintptr_t)address == NT_X86_XSTATE &&
        ((struct iovec *)data)->iov_len <= STATE_KNOWN_TO_UML)
        return set_whole_state(next, process, data);
    return next(request, process, address, data);
}
