package dev.remat.tests.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.codegen.cuda.emit.ComposeSource;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.tests.cuda.ShimSource.Unit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Kernels compiled for the CPU. Launches in one file, however often it is loaded, take turns; a library stays loaded,
 * for its handler of faults does.
 */
final class ShimLibrary {
    /** Bytes of a signature at most: a kernel takes 4096 bytes of parameters. */
    private static final int SIGNATURE = 4097;

    private static final long MESSAGE_BYTES = 1024;
    private static final long REQUEST_BYTES = 72;
    private static final MemoryLayout KERNEL = MemoryLayout.structLayout(ADDRESS, ADDRESS, ADDRESS);

    private final SymbolLookup symbols;
    private final MethodHandle launch;
    private final MethodHandle map;
    private final MethodHandle unmap;
    private final MethodHandle protect;
    private final MethodHandle bankConflicts;
    private final Map<String, MemorySegment> kernels = new ConcurrentHashMap<>();
    private final SequencedSet<String> executed = new ConcurrentSkipListSet<>();

    private ShimLibrary(Path file) {
        symbols = SymbolLookup.libraryLookup(file, Arena.global());
        launch = link("shim_launch", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));
        map = link("shim_map", FunctionDescriptor.of(ADDRESS, JAVA_LONG));
        unmap = link("shim_unmap", FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG));
        bankConflicts = link("shim_bank_conflicts", FunctionDescriptor.of(JAVA_LONG));
        protect = link("shim_protect", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    }

    /**
     * Compiles and loads kernels, equal symbols once; shuffled threads are watched for races.
     *
     * @param units how many files they are spread over
     * @throws IllegalStateException with the compiler's messages if it refuses them
     */
    static ShimLibrary of(List<KernelSource> kernels, int units) {
        return of(kernels, units, KernelBuild.WATCHED);
    }

    /** The same, compiled in another way. */
    static ShimLibrary of(List<KernelSource> kernels, int units, KernelBuild build) {
        return inFolder(folder -> load(compile(kernels, units, build, folder), kernels));
    }

    /** Compiles kernels to a library in {@code folder}. */
    static Path compile(List<KernelSource> kernels, int units, Path folder) {
        return compile(kernels, units, KernelBuild.PLAIN, folder);
    }

    /** Compiles kernels to a library in {@code folder}. */
    static Path compile(List<KernelSource> kernels, int units, KernelBuild build, Path folder) {
        return compile(ShimSource.share(kernels, units, ComposeSource::resource), build, folder);
    }

    /** Compiles units, each a file, to a library in {@code folder}. */
    static Path compile(List<Unit> units, KernelBuild build, Path folder) {
        Path file = folder.resolve("kernels.so");
        CppCompiler.buildLibrary(ShimSource.write(units, build, folder), file);
        return file;
    }

    /** Compiles and loads units, each a file, watched for races. */
    static ShimLibrary ofUnits(List<Unit> units) {
        List<KernelSource> kernels =
                units.stream().flatMap(unit -> unit.kernels().stream()).toList();
        return inFolder(folder -> load(compile(units, KernelBuild.WATCHED, folder), kernels));
    }

    private static ShimLibrary inFolder(Function<Path, ShimLibrary> build) {
        try {
            Path folder = Files.createTempDirectory("remat-shim");
            try {
                return build.apply(folder);
            } finally {
                try (Stream<Path> files = Files.list(folder)) {
                    for (Path file : files.toList()) {
                        Files.delete(file);
                    }
                }
                Files.delete(folder);
            }
        } catch (IOException thrown) {
            throw new UncheckedIOException(thrown);
        }
    }

    static ShimLibrary load(Path file, List<KernelSource> kernels) {
        ShimLibrary library = new ShimLibrary(file);
        kernels.forEach(kernel -> library.check(kernel.entry()));
        return library;
    }

    private MethodHandle link(String name, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(symbols.find(name).orElseThrow(), descriptor);
    }

    /** The parameters that callers pass must be those that the compiler saw. */
    private void check(KernelEntry entry) {
        String signature = kernel(entry.symbol())
                .get(ADDRESS, ADDRESS.byteSize())
                .reinterpret(SIGNATURE)
                .getString(0);
        String expected = entry.parameters().stream().map(ShimLibrary::letter).collect(Collectors.joining());
        if (!signature.equals(expected)) {
            throw new ShimException(entry.symbol() + " has parameters " + signature + ", its entry says " + expected);
        }
    }

    private static String letter(ParameterType type) {
        return switch (type) {
            case POINTER -> "P";
            case U32 -> "U";
            case I32 -> "I";
            case U64 -> "M";
            case I64 -> "L";
            case F32 -> "F";
            case F64 -> "D";
        };
    }

    private MemorySegment kernel(String symbol) {
        return kernels.computeIfAbsent(
                symbol,
                name -> symbols.find("shim_kernel_" + name)
                        .orElseThrow(() -> new IllegalArgumentException("no kernel " + name + " in this library"))
                        .reinterpret(KERNEL.byteSize()));
    }

    /** Symbols of the kernels that have run to their end. */
    SequencedSet<String> executed() {
        return Collections.unmodifiableSequencedSet(executed);
    }

    /**
     * Memory that ends, and begins, at pages that may not be touched.
     *
     * @param bytes rounded up to whole pages; the slack lies before what is returned
     */
    MemorySegment map(long bytes, Arena owner) {
        try {
            MemorySegment start = (MemorySegment) map.invokeExact(bytes);
            if (start.equals(MemorySegment.NULL)) {
                throw new OutOfMemoryError(bytes + " bytes for an arena");
            }
            return start.reinterpret(bytes, owner, segment -> unmap(segment, bytes));
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    private void unmap(MemorySegment start, long bytes) {
        try {
            unmap.invokeExact(start, bytes);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /** How often a row of a matrix fragment has come from a bank that gave another row of the same eight. */
    long bankConflicts() {
        try {
            return (long) bankConflicts.invokeExact();
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * Allows or forbids every access to some pages.
     *
     * @param pages whole ones of mapped memory
     */
    void protect(MemorySegment pages, boolean forbidden) {
        try {
            int status = (int) protect.invokeExact(pages, pages.byteSize(), forbidden ? 1 : 0);
            if (status != 0) {
                throw new IllegalStateException("no pages: " + pages);
            }
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * Runs one launch over {@code memory}, whose byte 0 is the arena's.
     *
     * @throws ShimException if a thread does what no kernel may
     */
    void launch(String symbol, Launch given, MemorySegment memory, ShimOrder order, Poison poison) {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment slots =
                    scratch.allocate(JAVA_LONG, Math.max(1, given.arguments().size()));
            for (int i = 0; i < given.arguments().size(); i++) {
                slots.setAtIndex(JAVA_LONG, i, given.arguments().get(i));
            }
            MemorySegment request = scratch.allocate(REQUEST_BYTES, Long.BYTES);
            List<Integer> words = new ArrayList<>();
            for (Extent3 extent : List.of(given.grid(), given.block())) {
                words.addAll(List.of(extent.x(), extent.y(), extent.z()));
            }
            words.addAll(List.of(
                    given.sharedBytes(),
                    order.threads().ordinal(),
                    order.blocks().ordinal(),
                    poison.bits()));
            for (int i = 0; i < words.size(); i++) {
                request.setAtIndex(JAVA_INT, i, words.get(i));
            }
            request.setAtIndex(JAVA_LONG, 5, order.seed());
            request.setAtIndex(JAVA_LONG, 6, memory.address());
            request.setAtIndex(JAVA_LONG, 7, memory.byteSize());
            request.setAtIndex(JAVA_LONG, 8, slots.address());
            MemorySegment message = scratch.allocate(MESSAGE_BYTES);
            int status = (int) launch.invokeExact(kernel(symbol), request, message, MESSAGE_BYTES);
            if (status != 0) {
                throw new ShimException(message.getString(0));
            }
            executed.add(symbol);
        } catch (ShimException failed) {
            throw failed;
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    private static RuntimeException unexpected(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        throw new IllegalStateException("call into the shim failed", thrown);
    }
}
