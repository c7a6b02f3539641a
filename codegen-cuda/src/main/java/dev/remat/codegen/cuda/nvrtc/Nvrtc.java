package dev.remat.codegen.cuda.nvrtc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.natives.LibraryUnavailableException;
import dev.remat.ir.natives.NativeCall;
import dev.remat.ir.natives.NativeLibraries;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** NVIDIA's run-time compiler, loaded for the life of the process. Any number of threads may compile at a time. */
public final class Nvrtc {
    /** What messages call the text. */
    static final String FILE_NAME = "kernels.cu";

    private static final String VERSION = "13.1";
    /**
     * In the redistributable package of JavaCPP's CUDA presets; nothing else of that is touched. NVRTC opens its
     * builtins by name, and finds the ones that are loaded already.
     */
    private static final NativeLibraries LIBRARIES = NativeLibraries.listed(
            Nvrtc.class,
            "NVRTC",
            "org.bytedeco:cuda-redist with classifier linux-x86_64",
            "org/bytedeco/cuda/linux-x86_64/");

    private static final int COMPILATION_ERROR = 6;

    private final MethodHandle create;
    private final MethodHandle compile;
    private final MethodHandle destroy;
    private final MethodHandle errorString;
    private final Part cubin;
    private final Part log;
    private final Part ptx;
    private final String version;

    /** Two functions that give the length and the bytes of something that a program holds. */
    private record Part(MethodHandle size, MethodHandle bytes) {}

    private Nvrtc(SymbolLookup library) {
        create = link(library, "nvrtcCreateProgram", ADDRESS, ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS);
        compile = link(library, "nvrtcCompileProgram", ADDRESS, JAVA_INT, ADDRESS);
        destroy = link(library, "nvrtcDestroyProgram", ADDRESS);
        errorString = Linker.nativeLinker()
                .downcallHandle(symbol(library, "nvrtcGetErrorString"), FunctionDescriptor.of(ADDRESS, JAVA_INT));
        cubin = part(library, "CUBIN");
        log = part(library, "ProgramLog");
        ptx = part(library, "PTX");
        version = version(link(library, "nvrtcVersion", ADDRESS, ADDRESS));
    }

    /**
     * Loads NVRTC, the first time from what was unpacked of the class path.
     *
     * @throws LibraryUnavailableException if that is impossible on this machine
     */
    public static Nvrtc load() {
        return new Nvrtc(LIBRARIES.load().symbols());
    }

    /** What {@link #load} loads. */
    public static NativeLibraries libraries() {
        return LIBRARIES;
    }

    /** Says exactly which NVRTC this is, without loading it: {@code 13.1-8c1f60be}. */
    public static String exactVersion() {
        return VERSION + "-" + LIBRARIES.hash();
    }

    /** For example {@code 13.1}. */
    public String version() {
        return version;
    }

    /** Compiles one text. One that is refused has no cubin, as the log says, nor has one for a virtual architecture. */
    Compilation compile(String text, List<String> options) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(ADDRESS);
            demand(call(
                    create,
                    handle,
                    arena.allocateFrom(text),
                    arena.allocateFrom(FILE_NAME),
                    0,
                    MemorySegment.NULL,
                    MemorySegment.NULL));
            MemorySegment program = handle.get(ADDRESS, 0);
            MemorySegment length = arena.allocate(JAVA_LONG);
            try {
                int result = call(compile, program, options.size(), strings(options, arena));
                if (result != COMPILATION_ERROR) {
                    demand(result);
                }
                boolean hasCode =
                        result == 0 && call(cubin.size(), program, length) == 0 && length.get(JAVA_LONG, 0) > 0;
                if (hasCode) {
                    return new Compilation(read(cubin, program, arena), text(log, program, arena), "");
                }
                boolean isAssembled = call(ptx.size(), program, length) == 0;
                return new Compilation(
                        new byte[0], text(log, program, arena), isAssembled ? text(ptx, program, arena) : "");
            } finally {
                demand(call(destroy, handle));
            }
        }
    }

    private static MemorySegment strings(List<String> values, Arena arena) {
        MemorySegment array = arena.allocate(ADDRESS, values.size());
        for (int i = 0; i < values.size(); i++) {
            array.setAtIndex(ADDRESS, i, arena.allocateFrom(values.get(i)));
        }
        return array;
    }

    private byte[] read(Part part, MemorySegment program, Arena arena) {
        MemorySegment size = arena.allocate(JAVA_LONG);
        demand(call(part.size(), program, size));
        MemorySegment bytes = arena.allocate(Math.max(1, size.get(JAVA_LONG, 0)));
        demand(call(part.bytes(), program, bytes));
        return bytes.asSlice(0, size.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
    }

    private String text(Part part, MemorySegment program, Arena arena) {
        byte[] bytes = read(part, program, arena);
        int end = bytes.length > 0 && bytes[bytes.length - 1] == 0 ? bytes.length - 1 : bytes.length;
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    private void demand(int result) {
        if (result != 0) {
            MemorySegment name = (MemorySegment) invoke(errorString, List.of(result));
            throw new IllegalStateException(
                    "NVRTC failed: " + name.reinterpret(Integer.MAX_VALUE).getString(0));
        }
    }

    private static String version(MethodHandle function) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment major = arena.allocate(JAVA_INT);
            MemorySegment minor = arena.allocate(JAVA_INT);
            if (call(function, major, minor) != 0) {
                throw new LibraryUnavailableException("NVRTC does not tell its version");
            }
            return major.get(JAVA_INT, 0) + "." + minor.get(JAVA_INT, 0);
        }
    }

    private static Part part(SymbolLookup library, String name) {
        return new Part(
                link(library, "nvrtcGet" + name + "Size", ADDRESS, ADDRESS),
                link(library, "nvrtcGet" + name, ADDRESS, ADDRESS));
    }

    private static MethodHandle link(SymbolLookup library, String name, MemoryLayout... parameters) {
        return Linker.nativeLinker().downcallHandle(symbol(library, name), FunctionDescriptor.of(JAVA_INT, parameters));
    }

    private static MemorySegment symbol(SymbolLookup library, String name) {
        return library.find(name)
                .orElseThrow(() -> new LibraryUnavailableException("this NVRTC has no function " + name));
    }

    private static int call(MethodHandle function, Object... arguments) {
        return (int) invoke(function, List.of(arguments));
    }

    private static Object invoke(MethodHandle function, List<Object> arguments) {
        return NativeCall.of(() -> function.invokeWithArguments(arguments));
    }
}
