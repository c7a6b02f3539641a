// Faults of the processor inside a kernel (stray address, misaligned pack, division by zero) become errors of the launch.
#pragma once
#include <pthread.h>
#include <signal.h>
#include <cstdlib>

namespace shim {

/** Called on the faulting thread while a kernel runs there; does not return. */
[[noreturn]] void on_fault(int signal, int code, void* address);

namespace faults {
constexpr int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constexpr std::size_t HANDLER_STACK_BYTES = 64 * 1024;

inline struct sigaction previous[5];
inline bool installed = false;
inline volatile bool armed = false;
inline pthread_t owner;

inline void pass_on(int signal, siginfo_t* info, void* context) {
    for (int i = 0; i < 5; i++) {
        if (SIGNALS[i] != signal) {
            continue;
        }
        if ((previous[i].sa_flags & SA_SIGINFO) != 0) {
            previous[i].sa_sigaction(signal, info, context);
        } else if (previous[i].sa_handler == SIG_DFL || previous[i].sa_handler == SIG_IGN) {
            sigaction(signal, &previous[i], nullptr);
        } else {
            previous[i].sa_handler(signal);
        }
    }
}

inline void handle(int signal, siginfo_t* info, void* context) {
    if (armed && pthread_equal(owner, pthread_self())) {
        on_fault(signal, info->si_code, info->si_addr);
    }
    pass_on(signal, info, context);
}
}  // namespace faults

/** Catches faults of the calling thread from here to the end of the scope; other threads' go where they went before. */
class FaultScope {
public:
    FaultScope() {
        if (!faults::installed) {
            struct sigaction action {};
            action.sa_sigaction = faults::handle;
            action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
            for (int i = 0; i < 5; i++) {
                sigaction(faults::SIGNALS[i], &action, &faults::previous[i]);
            }
            faults::installed = true;
        }
        static void* handlerStack = std::malloc(faults::HANDLER_STACK_BYTES);
        stack_t stack{};
        stack.ss_sp = handlerStack;
        stack.ss_size = faults::HANDLER_STACK_BYTES;
        sigaltstack(&stack, &before_);
        faults::owner = pthread_self();
        faults::armed = true;
    }

    ~FaultScope() {
        faults::armed = false;
        sigaltstack(&before_, nullptr);
    }

    FaultScope(const FaultScope&) = delete;
    FaultScope& operator=(const FaultScope&) = delete;

private:
    stack_t before_{};
};

}  // namespace shim
