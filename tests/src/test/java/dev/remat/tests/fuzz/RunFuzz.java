package dev.remat.tests.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SplittableRandom;

/** Runs inputs of all kinds in this process, and ends with 1 if remat does not take one as it says. */
public final class RunFuzz {
    private static final int MOST_FAULTS = 12;
    private static final int TRIALS = 400;
    /** Kinds whose inputs take several times as long as others, and of which there are a third as many. */
    private static final Set<String> SLOW = Set.of("models", "options", "images", "steps");

    private final Path folder;
    private final long inputs;
    private final long seed;
    private final SequencedMap<String, String> faults = new LinkedHashMap<>();
    private int folders;
    private RunInput runner;

    private RunFuzz(Path folder, long inputs, long seed) throws IOException {
        this.folder = folder;
        this.inputs = inputs;
        this.seed = seed;
        this.runner = runner();
    }

    /** @param args an empty folder, the number of inputs, a seed, and the kinds with commas between, else all */
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        SequencedMap<String, FuzzKind> kinds =
                FuzzKinds.all(new FuzzSeeds(Files.createDirectory(folder.resolve("seeds"))));
        if (args.length > 3 && !args[3].isEmpty()) {
            List<String> chosen = List.of(args[3].split(","));
            if (!kinds.keySet().containsAll(chosen)) {
                System.out.println("fuzz: the kinds are " + String.join(", ", kinds.sequencedKeySet()));
                System.exit(2);
            }
            kinds.keySet().retainAll(chosen);
        }
        int faults = new RunFuzz(folder, Long.parseLong(args[1]), Long.parseLong(args[2])).run(kinds);
        // A worker that hangs would keep the process.
        System.exit(faults == 0 ? 0 : 1);
    }

    private int run(SequencedMap<String, FuzzKind> kinds) throws IOException {
        long begin = System.nanoTime();
        long done = 0;
        long parts = 0;
        long all = kinds.sequencedKeySet().stream().mapToLong(RunFuzz::parts).sum();
        for (String name : List.copyOf(kinds.sequencedKeySet())) {
            parts += parts(name);
            long until = inputs * parts / all;
            run(name, kinds.get(name), until - done);
            done = until;
        }
        runner.close();
        System.out.printf(
                Locale.ROOT,
                "fuzz: %d inputs of seed %d, %d faults, %.1f s, at most %d MiB%n",
                done,
                seed,
                faults.size(),
                seconds(begin),
                ResidentBytes.most() >> 20);
        return faults.size();
    }

    private static long parts(String kind) {
        return SLOW.contains(kind) ? 1 : 3;
    }

    private RunInput runner() throws IOException {
        return new RunInput(Files.createDirectory(folder.resolve("run" + folders++)));
    }

    private void run(String name, FuzzKind kind, long count) throws IOException {
        long begin = System.nanoTime();
        double before = processorSeconds();
        for (long number = 0; number < count && faults.size() < MOST_FAULTS; number++) {
            FuzzInput input = kind.make(random(name, number));
            Optional<String> fault = runner.fault(input);
            if (fault.isPresent()) {
                report(name, number, input, fault.get());
            }
        }
        System.out.printf(
                Locale.ROOT,
                "fuzz: %s, seed %d: %d inputs in %.1f s, %.1f s of processors%n",
                name,
                seed,
                count,
                seconds(begin),
                processorSeconds() - before);
    }

    /** What this process has taken of all processors. */
    private static double processorSeconds() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis() / 1e3;
    }

    private static double seconds(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }

    /** Numbers that depend on the seed, the kind and the input alone. */
    private SplittableRandom random(String name, long number) {
        return new SplittableRandom((seed * 31 + name.hashCode()) * 1_000_003 + number);
    }

    private void report(String name, long number, FuzzInput input, String fault) throws IOException {
        String signature = MinimizeInput.signature(fault);
        if (faults.containsKey(signature)) {
            return;
        }
        FuzzInput least = input;
        if (fault.startsWith("hangs")) {
            runner.close();
            runner = runner();
        } else {
            least = MinimizeInput.run(input, other -> sameFault(other, signature), TRIALS);
        }
        String text = "%s, input %d of seed %d\n%s\n%s".formatted(name, number, seed, fault, least.script());
        faults.put(signature, text);
        System.out.println("fuzz: fault: " + text);
    }

    private boolean sameFault(FuzzInput input, String signature) {
        return runner.fault(input).map(MinimizeInput::signature).equals(Optional.of(signature));
    }
}
