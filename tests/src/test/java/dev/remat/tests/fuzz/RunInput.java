package dev.remat.tests.fuzz;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs inputs as {@code Main} does, in this process, and judges what came of it. */
final class RunInput implements AutoCloseable {
    private static final Set<Integer> DOCUMENTED = Set.of(0, 2, 3, 4, 5, 6, 7, 8);
    private static final Pattern DEFECT = Pattern.compile(
            "internal error.*|this is a bug.*|\\tat .*|\\bjava\\.[a-z]+\\..*|out of memory: Java heap.*");
    /** Options that name a folder for several files. */
    private static final List<String> SEVERAL = List.of("--save", "--dump-dir", "--log");

    private static final Pattern ARENA = Pattern.compile("\"arenaBytes\" ?: ?(\\d+)");
    /** Bytes of an arena up to which a plan is also run. */
    private static final long LARGEST_ARENA = 1 << 24;

    private static final long MOST_CPU_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(4);
    private static final long MOST_BYTES = 1L << 30;

    private final Path folder;
    private final SynchronousQueue<Runnable> tasks = new SynchronousQueue<>();
    private final Thread worker;
    private volatile boolean closed;

    /** @param folder empty, and left so */
    RunInput(Path folder) {
        this.folder = folder;
        this.worker = new Thread(this::work, "fuzz");
        worker.setDaemon(true);
        worker.start();
    }

    private void work() {
        while (!closed) {
            try {
                Runnable task = tasks.poll(1, TimeUnit.SECONDS);
                if (task != null) {
                    task.run();
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** What is wrong with how remat took the input; empty if it took or refused it as documented. */
    Optional<String> fault(FuzzInput input) {
        try {
            write(input);
            String[] fault = new String[1];
            boolean[] done = new boolean[1];
            tasks.put(() -> {
                fault[0] = judge(input);
                synchronized (done) {
                    done[0] = true;
                    done.notifyAll();
                }
            });
            Optional<String> hang = await(done);
            if (hang.isPresent()) {
                return hang;
            }
            clear();
            return Optional.ofNullable(fault[0]);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new IllegalStateException("cannot prepare an input", e);
        }
    }

    /** The worker's own time counts, because other processes may take the machine's. */
    private Optional<String> await(boolean[] done) throws InterruptedException {
        long begin = System.nanoTime();
        long cpu = cpuNanos();
        synchronized (done) {
            while (!done[0]) {
                done.wait(100);
                if (!done[0] && (cpuNanos() - cpu > MOST_CPU_NANOS || System.nanoTime() - begin > MOST_NANOS)) {
                    return Optional.of("hangs at "
                            + Arrays.stream(worker.getStackTrace())
                                    .limit(25)
                                    .map(String::valueOf)
                                    .collect(Collectors.joining("\n    ")));
                }
            }
        }
        return Optional.empty();
    }

    private long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getThreadCpuTime(worker.threadId());
    }

    /** Null if all is well. */
    private String judge(FuzzInput input) {
        for (List<String> command : input.commands()) {
            String[] words = command.stream()
                    .map(word -> word.replace(FuzzInput.FOLDER, folder + "/"))
                    .toArray(String[]::new);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            int exit;
            try {
                exit = RematCommand.run(new Console(out, err, false, false), words);
            } catch (Throwable e) {
                return "escaped: " + e + " " + Arrays.toString(e.getStackTrace());
            }
            String said = err.toString(StandardCharsets.UTF_8);
            Matcher defect = DEFECT.matcher(said);
            if (defect.find()) {
                return "exit " + exit + ": " + said;
            }
            if (!DOCUMENTED.contains(exit) || exit != 0 && said.isBlank()) {
                return "exit " + exit + " with the message: " + said;
            }
            long bytes = ResidentBytes.most();
            if (bytes > MOST_BYTES) {
                ResidentBytes.forget();
                return "takes more than a gibibyte, " + (bytes >> 20) + " MiB";
            }
            String left = leftOver(input, command, exit);
            if (left != null) {
                return left;
            }
            Matcher arena = ARENA.matcher(out.toString(StandardCharsets.UTF_8));
            boolean goesOn = exit == 0
                    && (!arena.find()
                            || arena.group(1).length() < 10 && Long.parseLong(arena.group(1)) < LARGEST_ARENA);
            if (!goesOn) {
                return null;
            }
        }
        return null;
    }

    /** What -o names is there if and only if all went well, and beside it and what --save names nothing is new. */
    private String leftOver(FuzzInput input, List<String> command, int exit) {
        Set<String> found = new TreeSet<>();
        try (Stream<Path> files = Files.walk(folder)) {
            files.filter(Files::isRegularFile)
                    .forEach(file -> found.add(folder.relativize(file).toString()));
        } catch (IOException e) {
            return "cannot list the folder: " + e;
        }
        for (Map.Entry<String, byte[]> file : input.files().entrySet()) {
            if (!found.remove(file.getKey())) {
                return "the file " + file.getKey() + " is gone";
            }
        }
        Optional<String> result = result(command);
        if (result.isPresent() && !input.files().containsKey(result.get())) {
            boolean written = found.remove(result.get());
            if (written != (exit == 0)) {
                return "exit " + exit + (written ? " with" : " without") + " its result";
            }
            if (command.getFirst().equals("import") && exit == 0) {
                found.remove(result.get().replace(".model", ".safetensors"));
            }
        }
        found.removeIf(name -> !name.contains("tmp")
                && SEVERAL.stream()
                        .anyMatch(option -> input.commands().stream().anyMatch(words -> isBelow(name, option, words))));
        return found.isEmpty() ? null : "exit " + exit + " leaves " + found;
    }

    private static boolean isBelow(String name, String option, List<String> command) {
        int at = command.indexOf(option);
        return at >= 0 && at + 1 < command.size() && (FuzzInput.FOLDER + name).startsWith(command.get(at + 1));
    }

    /** The file that the command is to write; empty if it only helps. */
    private static Optional<String> result(List<String> command) {
        int option = command.indexOf("-o");
        boolean helps = command.stream().anyMatch(List.of("-h", "--help", "--version", "help")::contains);
        return option < 0 || option + 1 == command.size() || helps
                ? Optional.empty()
                : Optional.of(command.get(option + 1))
                        .filter(name -> name.startsWith(FuzzInput.FOLDER))
                        .map(name -> name.substring(FuzzInput.FOLDER.length()));
    }

    private void write(FuzzInput input) throws IOException {
        for (Map.Entry<String, byte[]> file : input.files().entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.write(path, file.getValue());
        }
    }

    private void clear() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!file.equals(folder)) {
                    Files.delete(file);
                }
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        worker.interrupt();
    }
}
