package dev.remat.cli.ranks;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.TypedWords;
import dev.remat.ir.natives.LibraryUnavailableException;
import dev.remat.runtime.launch.MeetingPlace;
import dev.remat.runtime.launch.SharedSecret;
import dev.remat.runtime.process.ProcessGrid;
import dev.remat.runtime.process.Stop;
import dev.remat.runtime.process.Witness;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Runs a program in as many processes as there are ranks, or stages of these. */
public final class StartProcesses {
    private static final List<String> LAUNCHERS = List.of("mpiexec.hydra", "mpirun.mpich", "mpirun.openmpi", "mpirun");
    /** Ranks share all processors, and learn from the witness that one is lost, rather than being ended for it. */
    private static final List<String> HYDRA = List.of("-bind-to", "none", "-disable-auto-cleanup");

    private static final List<String> OPEN_MPI = List.of("--bind-to", "none", "--oversubscribe");
    /** The variable by which ranks find the process that has started them all. */
    static final String WITNESS = "REMAT_WITNESS";

    /** How long all may take to end when one has stopped: a rank may hang, or be halted, and is ended then. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(12);

    /** In which a rank that has joined is known to have done so. */
    private static final Duration JOINING = Duration.ofMillis(300);

    /** What a process returns that SIGTERM has ended; others that end with it return what Ctrl-C would. */
    private static final int TERMINATED = 143;

    private static final String BEFORE = " ended before all ranks had found each other";

    private StartProcesses() {}

    /** The launcher on the search path, if there is one. */
    public static Optional<Path> launcher() {
        List<Path> folders = Arrays.stream(
                        System.getenv().getOrDefault("PATH", "").split(":"))
                .filter(folder -> !folder.isEmpty())
                .map(Path::of)
                .toList();
        return LAUNCHERS.stream()
                .flatMap(name -> folders.stream().map(folder -> folder.resolve(name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * How they have ended.
     *
     * @param code that this process is to return
     * @param lost whether that is because one was gone without a word
     */
    public record Ended(int code, boolean lost) {}

    /** What is to be started for a program that each rank runs, with its words. */
    @FunctionalInterface
    interface Starter {
        List<ProcessBuilder> all(int ranks, List<String> program) throws IOException;
    }

    /**
     * By the system's mpirun.
     *
     * @throws LibraryUnavailableException if there is none
     */
    static List<ProcessBuilder> byMpirun(int ranks, List<String> program) throws IOException {
        Path launcher = launcher()
                .orElseThrow(() -> new LibraryUnavailableException("--processes starts ranks by mpirun, which is not"
                        + " on the search path; install MPICH or Open MPI, take --transport gloo, or leave --processes"
                        + " away and ranks are threads"));
        List<String> command = new ArrayList<>(List.of(launcher.toString(), "-n", String.valueOf(ranks)));
        command.addAll(isOpenMpi(launcher) ? OPEN_MPI : HYDRA);
        command.addAll(program);
        return List.of(new ProcessBuilder(command));
    }

    /**
     * By remat itself, for ranks that Gloo joins.
     *
     * @throws LibraryUnavailableException if that cannot be loaded
     */
    static List<ProcessBuilder> byGloo(int ranks, List<String> program) throws IOException {
        GlooJars.load();
        List<ProcessBuilder> each = new ArrayList<>();
        int port = freePort();
        String token = SharedSecret.newToken();
        for (int rank = 0; rank < ranks; rank++) {
            ProcessBuilder builder = new ProcessBuilder(program);
            MeetingPlace.tell(builder.environment(), rank, ranks, "localhost", port);
            builder.environment().put(SharedSecret.VARIABLE, token);
            each.add(builder);
        }
        return each;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /**
     * Returns when all have ended. A signal reaches them as it reaches this process.
     *
     * @param grid of what each is
     * @param silence after which a rank is lost
     */
    static Ended run(ProcessGrid grid, List<ProcessBuilder> each, Duration silence, Console console)
            throws IOException {
        CompletableFuture<Stop> stopped = new CompletableFuture<>();
        Consumer<Stop> told = stop -> {
            synchronized (stopped) {
                if (!stopped.isDone() && stop.isOfLost()) {
                    console.note(stop.text());
                }
                stopped.complete(stop);
            }
        };
        try (Witness witness = new Witness(grid, silence, told, console::note)) {
            List<Process> processes = new ArrayList<>();
            for (ProcessBuilder builder : each) {
                builder.environment().put(WITNESS, witness.meeting());
                processes.add(builder.inheritIO().start());
            }
            boolean oneEach = processes.size() == grid.processes();
            CompletableFuture<Void> watched =
                    oneEach ? watch(grid, processes, witness, told) : CompletableFuture.completedFuture(null);
            CompletableFuture<Void> ended = stopped.thenRunAsync(() -> endNow(processes), after(LAST_WORDS));
            int code = await(processes);
            ended.cancel(false);
            watched.join();
            witness.awaitEnd();
            boolean known = oneEach || IntStream.range(0, grid.processes()).anyMatch(witness::knows);
            if (code == ExitCode.RANK_LOST.number() && !known) {
                told.accept(new Stop(0, code, "a rank has" + BEFORE));
            }
            boolean lost = stopped.isDone() && stopped.join().isOfLost();
            return new Ended(stopped.isDone() ? stopped.join().code() : code, lost);
        }
    }

    /** For a rank that ends before it has joined the others would wait, and nobody else sees it. */
    private static CompletableFuture<Void> watch(
            ProcessGrid grid, List<Process> processes, Witness witness, Consumer<Stop> told) {
        return CompletableFuture.allOf(IntStream.range(0, processes.size())
                .mapToObj(rank -> processes.get(rank).onExit().thenCompose(ended -> {
                    if (ended.exitValue() == 0) {
                        return CompletableFuture.completedFuture(null);
                    }
                    return CompletableFuture.runAsync(
                            () -> {
                                if (!witness.knows(rank)) {
                                    told.accept(early(grid, rank, ended.exitValue()));
                                    endNow(processes);
                                }
                            },
                            after(JOINING));
                }))
                .toArray(CompletableFuture[]::new));
    }

    /** Whoever ends by itself has said why. */
    private static Stop early(ProcessGrid grid, int rank, int exitValue) {
        if (exitValue == TERMINATED) {
            return new Stop(rank, exitValue, "");
        }
        return ExitCode.of(exitValue)
                .filter(code -> code != ExitCode.RANK_LOST)
                .map(code -> new Stop(rank, code.number(), ""))
                .orElseGet(() -> new Stop(rank, ExitCode.RANK_LOST.number(), grid.name(rank) + " has" + BEFORE));
    }

    private static Executor after(Duration time) {
        return CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void endNow(List<Process> processes) {
        processes.stream().flatMap(StartProcesses::all).forEach(ProcessHandle::destroyForcibly);
    }

    /** A process, and what it has started. */
    private static Stream<ProcessHandle> all(Process process) {
        return Stream.concat(process.descendants(), Stream.of(process.toHandle()));
    }

    /** What the first of them to fail has returned, in their order. */
    private static int await(List<Process> processes) throws IOException {
        Thread ended = new Thread(() -> end(processes), "processes");
        Runtime.getRuntime().addShutdownHook(ended);
        try {
            int code = 0;
            for (Process process : processes) {
                int own = process.waitFor();
                code = code == 0 || own == TERMINATED ? own : code;
            }
            Runtime.getRuntime().removeShutdownHook(ended);
            return code == TERMINATED
                    ? code
                    : ExitCode.of(code).orElse(ExitCode.RANK_LOST).number();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while ranks were running", e);
        } catch (IllegalStateException e) {
            // A signal came, which the hook passes on.
            Process first = processes.getFirst();
            return first.isAlive() ? ExitCode.INTERRUPTED.number() : first.exitValue();
        }
    }

    /** Passes a signal on, and waits for what they do. */
    private static void end(List<Process> processes) {
        processes.forEach(Process::destroy);
        try {
            for (Process process : processes) {
                process.waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isOpenMpi(Path launcher) throws IOException {
        Process asked = new ProcessBuilder(launcher.toString(), "--version")
                .redirectErrorStream(true)
                .start();
        return new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8).contains("Open MPI");
    }

    /** How to start the program of this process, as the kernel keeps it, with other words than were typed. */
    static List<String> program(TypedWords typed, TypedWords other) throws IOException {
        String all = Files.readString(Path.of("/proc/self/cmdline"), StandardCharsets.UTF_8);
        List<String> words = new ArrayList<>(List.of(all.split("\0")));
        words.subList(words.size() - typed.words().size(), words.size()).clear();
        words.addAll(other.words());
        return words;
    }
}
