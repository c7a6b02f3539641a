package dev.remat.runtime.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.natives.LibraryUnavailableException;
import dev.remat.ir.natives.NativeCall;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The calls of MPI that ranks need, in the library of the system. What the standard leaves open differs: handles are
 * integers in MPICH and those that follow its binary interface, and addresses in Open MPI.
 */
final class MpiLibrary {
    /** The first thread alone calls. */
    private static final int THREAD_FUNNELED = 1;

    private static final int SUCCESS = 0;
    private static final int MOST_CHARACTERS = 1024;
    /** Settings of UCX by the variables that it reads. */
    private static final Map<String, String> UCX = Map.of("UCX_ERROR_SIGNALS", "", "UCX_HANDLE_ERRORS", "none");
    /** Where the system lists devices that write to the memory of another machine. */
    private static final Path REMOTE_MEMORY = Path.of("/sys/class/infiniband");

    /** Whose library it is. */
    enum Kind {
        MPICH("MPICH", List.of("libmpich.so.12", "libmpi.so.12")),
        OPEN_MPI("Open MPI", List.of("libmpi.so.40"));

        private final String label;
        private final List<String> files;

        Kind(String label, List<String> files) {
            this.label = label;
            this.files = files;
        }

        /** The first of its files that the system has. */
        Optional<SymbolLookup> find() {
            tameUcx();
            for (String file : files) {
                try {
                    return Optional.of(SymbolLookup.libraryLookup(file, Arena.global()));
                } catch (IllegalArgumentException _) {
                    // The next may be there.
                }
            }
            return Optional.empty();
        }

        @Override
        public String toString() {
            return label;
        }
    }

    private final SymbolLookup symbols;
    private final boolean numbered;
    private final long world;
    private final long bytes;
    private final long ignoredStatus;
    private final MethodHandle send;
    private final MethodHandle receive;
    private final MethodHandle test;

    private MpiLibrary(Kind kind, SymbolLookup symbols) {
        this.symbols = symbols;
        this.numbered = kind == Kind.MPICH;
        this.world = numbered ? 0x44000000 : address("ompi_mpi_comm_world");
        this.bytes = numbered ? 0x4c00010d : address("ompi_mpi_byte");
        this.ignoredStatus = numbered ? 1 : 0;
        MemoryLayout handle = handle();
        FunctionDescriptor message =
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, handle, JAVA_INT, JAVA_INT, handle, JAVA_LONG);
        this.send = byAddress(link("MPI_Isend", message));
        this.receive = byAddress(link("MPI_Irecv", message));
        this.test = link("MPI_Test", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    /** @throws LibraryUnavailableException if it is not installed */
    static MpiLibrary open(MpiLauncher launcher) {
        if (launcher.apart() && !Files.exists(REMOTE_MEMORY)) {
            sendAtOnce();
        }
        Kind kind = launcher.library();
        return new MpiLibrary(
                kind,
                kind.find()
                        .orElseThrow(() -> new LibraryUnavailableException("the library of " + kind
                                + ", whose launcher has started this process, cannot be loaded: none of "
                                + String.join(", ", kind.files) + " is where libraries are looked for;"
                                + " LD_LIBRARY_PATH can name another folder")));
    }

    /**
     * Keeps UCX, which some builds of MPI send by, from taking the signals by which a JVM finds out about pages, and
     * from printing its stack when another rank is gone, unless the user wants it so: it reads its settings when it is
     * loaded.
     */
    private static void tameUcx() {
        UCX.forEach((name, value) -> NativeCall.setVariable(name, value, false));
    }

    /**
     * Has UCX send large messages without asking whether they are awaited, unless the user wants it so. Over a slow
     * TCP link the question and its answer each wait behind what is in the sockets' buffers; inside a machine and
     * between devices that write to each other's memory the answer saves copies.
     */
    private static void sendAtOnce() {
        NativeCall.setVariable("UCX_RNDV_THRESH", "inf", false);
    }

    private MemoryLayout handle() {
        return numbered ? JAVA_INT : JAVA_LONG;
    }

    private long address(String symbol) {
        return symbols.findOrThrow(symbol).address();
    }

    private MethodHandle link(String name, FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(symbols.findOrThrow(name), type);
    }

    /** Takes handles as numbers of 64 bits, whatever they are. */
    private static MethodHandle byAddress(MethodHandle message) {
        MethodType asked = message.type().changeParameterType(2, long.class).changeParameterType(5, long.class);
        return MethodHandles.explicitCastArguments(message, asked);
    }

    /** Bytes of the handle of a message under way. */
    long requestBytes() {
        return handle().byteSize();
    }

    /** Begins; in the thread that makes all other calls. */
    void begin() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment provided = arena.allocate(JAVA_INT);
            MethodHandle init =
                    link("MPI_Init_thread", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT, JAVA_LONG));
            check(() -> (int) init.invoke(MemorySegment.NULL, MemorySegment.NULL, THREAD_FUNNELED, provided.address()));
            if (provided.get(JAVA_INT, 0) < THREAD_FUNNELED) {
                throw new LibraryUnavailableException("this library of MPI takes no calls from programs with threads");
            }
            // What fails is told by the number that calls return, rather than by the end of the process.
            MethodHandle handler = link("MPI_Comm_set_errhandler", FunctionDescriptor.of(JAVA_INT, handle(), handle()));
            long returns = numbered ? 0x54000001 : address("ompi_mpi_errors_return");
            check(() -> (int) (numbered ? handler.invoke((int) world, (int) returns) : handler.invoke(world, returns)));
        }
    }

    int rank() {
        return ofWorld("MPI_Comm_rank");
    }

    int ranks() {
        return ofWorld("MPI_Comm_size");
    }

    private int ofWorld(String call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(JAVA_INT);
            MethodHandle handle = link(call, FunctionDescriptor.of(JAVA_INT, handle(), JAVA_LONG));
            check(() -> (int)
                    (numbered ? handle.invoke((int) world, found.address()) : handle.invoke(world, found.address())));
            return found.get(JAVA_INT, 0);
        }
    }

    /**
     * @param tag which receivers ask for
     * @param request takes the handle of the message
     */
    void send(MemorySegment from, int to, int tag, MemorySegment request) {
        check(() -> (int) send.invoke(from.address(), (int) from.byteSize(), bytes, to, tag, world, request.address()));
    }

    /**
     * @param tag that it was sent by
     * @param request takes the handle of the message
     */
    void receive(MemorySegment into, int from, int tag, MemorySegment request) {
        check(() -> (int)
                receive.invoke(into.address(), (int) into.byteSize(), bytes, from, tag, world, request.address()));
    }

    /**
     * Whether a message has ended; its handle is given back then.
     *
     * @param flag memory for an integer
     */
    boolean hasEnded(MemorySegment request, MemorySegment flag) {
        check(() -> (int) test.invokeExact(request.address(), flag.address(), ignoredStatus));
        return flag.get(JAVA_INT, 0) != 0;
    }

    /** Ends, when all processes do so. */
    void end() {
        check(() -> (int) link("MPI_Finalize", FunctionDescriptor.of(JAVA_INT)).invokeExact());
    }

    private void check(NativeCall<Integer> call) {
        int code = NativeCall.of(call);
        if (code == SUCCESS) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(MOST_CHARACTERS);
            MemorySegment length = arena.allocate(JAVA_INT);
            MethodHandle say =
                    link("MPI_Error_string", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
            int told = NativeCall.of(() -> (int) say.invokeExact(code, text.address(), length.address()));
            throw new MpiException(told == SUCCESS ? text.getString(0) : "error " + code);
        }
    }
}
