// A context switch that saves what the calling convention asks for and makes no system call.
#pragma once
#include <cstdint>

#if defined(__x86_64__) || defined(__aarch64__)
extern "C" __attribute__((visibility("hidden"))) void shim_switch(void** save, void* to);
#else
#include <ucontext.h>
#endif

namespace shim {

#if defined(__x86_64__)
asm(R"(
    .text
    .p2align 4
    .hidden shim_switch
    .globl shim_switch
    .type shim_switch, @function
shim_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    popq %rcx
    jmp *%rcx
    .size shim_switch, .-shim_switch
)");

/** A context that starts `entry` at the top of a stack; entry never returns. */
inline void* fresh_context(unsigned char* top, std::size_t, void (*entry)()) {
    void** words = reinterpret_cast<void**>(top);
    words[-1] = nullptr;
    words[-2] = reinterpret_cast<void*>(entry);
    for (int i = 3; i <= 8; i++) {
        words[-i] = nullptr;
    }
    return words - 8;
}

inline void switch_context(void** save, void* to) { shim_switch(save, to); }

#elif defined(__aarch64__)
asm(R"(
    .text
    .p2align 4
    .hidden shim_switch
    .globl shim_switch
    .type shim_switch, %function
shim_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size shim_switch, .-shim_switch
)");

inline void* fresh_context(unsigned char* top, std::size_t, void (*entry)()) {
    void** words = reinterpret_cast<void**>(top - 160);
    for (int i = 0; i < 20; i++) {
        words[i] = nullptr;
    }
    words[11] = reinterpret_cast<void*>(entry);
    return words;
}

inline void switch_context(void** save, void* to) { shim_switch(save, to); }

#else
/** Any other machine: slower, through the C library. The context lies at the low end of its own stack. */
inline void* fresh_context(unsigned char* top, std::size_t bytes, void (*entry)()) {
    ucontext_t* context = reinterpret_cast<ucontext_t*>(top - bytes);
    getcontext(context);
    context->uc_stack.ss_sp = context + 1;
    context->uc_stack.ss_size = bytes - sizeof(ucontext_t);
    context->uc_link = nullptr;
    makecontext(context, entry, 0);
    return context;
}

inline void switch_context(void** save, void* to) {
    ucontext_t here;
    *save = &here;
    swapcontext(&here, static_cast<ucontext_t*>(to));
}
#endif

}  // namespace shim
