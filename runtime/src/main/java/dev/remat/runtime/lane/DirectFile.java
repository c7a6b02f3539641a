package dev.remat.runtime.lane;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

/**
 * A file without a name that is read and written past the page cache, by the calls that POSIX has for it. The JDK's own
 * option for that is no part of an API that it promises, and its channels close when a thread is interrupted.
 */
final class DirectFile implements AutoCloseable {
    private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
    private static final int READ_WRITE = 2;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int DIRECT = ARM ? 0x10000 : 0x4000;
    /** With it a folder is given, and the file in it has no name. */
    private static final int NAMELESS = 0x400000 | (ARM ? 0x4000 : 0x10000);

    private static final int OWNER_ALONE = 0600;

    /** Most bytes of one call; Linux moves less than 2 GiB. */
    private static final long CHUNK = 1L << 30;

    private static final int INTERRUPTED = 4;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle OPEN = Linker.nativeLinker()
            .downcallHandle(
                    symbol("open"),
                    FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
                    Linker.Option.captureCallState("errno"),
                    Linker.Option.firstVariadicArg(2));
    private static final MethodHandle ALLOCATE = Linker.nativeLinker()
            .downcallHandle(symbol("posix_fallocate"), FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle WRITE = transfer("pwrite");
    private static final MethodHandle READ = transfer("pread");
    private static final MethodHandle CLOSE =
            Linker.nativeLinker().downcallHandle(symbol("close"), FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle MESSAGE =
            Linker.nativeLinker().downcallHandle(symbol("strerror"), FunctionDescriptor.of(ADDRESS, JAVA_INT));

    private final int descriptor;

    /**
     * @param folder that the file lies in
     * @param bytes of the file, which are taken at once
     * @throws IOException if the folder is none, has no direct access, or has not so much room
     */
    DirectFile(Path folder, long bytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            int flags = READ_WRITE | CLOSE_ON_EXEC | DIRECT | NAMELESS;
            MemorySegment name = arena.allocateFrom(folder.toString());
            descriptor = (int) OPEN.invokeExact(state, name, flags, OWNER_ALONE);
            if (descriptor < 0) {
                throw new IOException(message((int) ERROR.get(state, 0L)));
            }
            int error = (int) ALLOCATE.invokeExact(descriptor, 0L, Math.max(bytes, 1));
            if (error != 0) {
                close();
                throw new IOException(message(error));
            }
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    private static MemorySegment symbol(String name) {
        return Linker.nativeLinker().defaultLookup().find(name).orElseThrow();
    }

    private static MethodHandle transfer(String name) {
        return Linker.nativeLinker()
                .downcallHandle(
                        symbol(name),
                        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG),
                        Linker.Option.captureCallState("errno"));
    }

    /** Writes {@code source} from byte {@code offset} on. */
    void write(MemorySegment source, long offset) throws IOException {
        move(WRITE, source, offset);
    }

    /** Reads {@code target} from byte {@code offset} on. */
    void read(MemorySegment target, long offset) throws IOException {
        move(READ, target, offset);
    }

    private void move(MethodHandle call, MemorySegment bytes, long offset) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long done = 0;
            while (done < bytes.byteSize()) {
                long most = Math.min(CHUNK, bytes.byteSize() - done);
                long moved = (long) call.invokeExact(state, descriptor, bytes.asSlice(done), most, offset + done);
                if (moved == 0) {
                    throw new EOFException("the file has become shorter");
                }
                int error = moved < 0 ? (int) ERROR.get(state, 0L) : 0;
                if (error != 0 && error != INTERRUPTED) {
                    throw new IOException(message(error));
                }
                done += Math.max(moved, 0);
            }
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    private static String message(int error) throws Throwable {
        MemorySegment text = (MemorySegment) MESSAGE.invokeExact(error);
        return text.reinterpret(256).getString(0);
    }

    /** What a call may throw, as what its caller has to expect. */
    private static IOException failed(Throwable thrown) {
        return switch (thrown) {
            case IOException e -> e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(thrown);
        };
    }

    @Override
    public void close() throws IOException {
        try {
            int ignored = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw failed(e);
        }
    }
}
