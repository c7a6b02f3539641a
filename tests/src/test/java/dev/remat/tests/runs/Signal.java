package dev.remat.tests.runs;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Signals of Linux, sent without a process of their own, which would come too late. */
enum Signal {
    INTERRUPT(2),
    KILL(9),
    TERMINATE(15),
    CONTINUE(18),
    STOP(19);

    private static final MethodHandle SEND = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().find("kill").orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private final int number;

    Signal(int number) {
        this.number = number;
    }

    void send(long process) {
        try {
            int unsent = (int) SEND.invokeExact(Math.toIntExact(process), number);
            if (unsent != 0) {
                throw new IllegalStateException(this + " cannot be sent to " + process);
            }
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** What a process returns that the signal has ended. */
    int exitCode() {
        return 128 + number;
    }
}
