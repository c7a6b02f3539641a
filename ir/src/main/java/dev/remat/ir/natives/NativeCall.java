package dev.remat.ir.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** Calls a native function by a handle, which says nothing of what it throws. */
public interface NativeCall<T> {
    T call() throws Throwable;

    /** What the call returns; it is checked for nothing but exceptions of Java, of which none is expected. */
    static <T> T of(NativeCall<T> call) {
        try {
            return call.call();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a native call failed", e);
        }
    }

    /** Sets a variable in the environment that libraries see which are loaded later; that of Java stays as it was. */
    static void setVariable(String name, String value, boolean overwrite) {
        Linker linker = Linker.nativeLinker();
        MethodHandle set = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("setenv"),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
        try (Arena arena = Arena.ofConfined()) {
            int failed = of(() ->
                    (int) set.invokeExact(arena.allocateFrom(name), arena.allocateFrom(value), overwrite ? 1 : 0));
            if (failed != 0) {
                throw new IllegalStateException("the environment takes no " + name);
            }
        }
    }
}
