package dev.remat.tests.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever a user writes by mistake is taken or refused as documented: no internal error, no stack trace, no exit code
 * that stands nowhere, nothing that hangs, and no result that is written by half.
 *
 * <p>{@code -Dremat.fuzz.inputs=N} runs N inputs instead of those of six seconds, {@code
 * -Dremat.fuzz.kinds=npy,data} some kinds alone, {@code -Dremat.fuzz.seed=N} others than usual.
 */
@Tag("slow")
class FuzzTest {
    private static final long SECONDS = 6;
    private static final int MOST_FAULTS = 12;
    private static final int TRIALS = 400;

    private static final long SEED = Long.getLong("remat.fuzz.seed", 1);
    private static final long INPUTS = Long.getLong("remat.fuzz.inputs", 0);

    @TempDir
    Path folder;

    private final SequencedMap<String, String> faults = new LinkedHashMap<>();
    private int folders;
    private RunInput runner;

    @Test
    void mistakesAreRefusedInWords() throws IOException {
        Path seeds = Files.createDirectory(folder.resolve("seeds"));
        SequencedMap<String, FuzzKind> kinds = FuzzKinds.all(new FuzzSeeds(seeds));
        String chosen = System.getProperty("remat.fuzz.kinds", "");
        if (!chosen.isEmpty()) {
            List<String> names = List.of(chosen.split(","));
            assertThat(kinds).as("kinds of inputs").containsKeys(names.toArray(String[]::new));
            kinds.keySet().retainAll(names);
        }
        runner = runner();
        for (String name : List.copyOf(kinds.sequencedKeySet())) {
            run(name, kinds.get(name), kinds.size());
        }
        runner.close();
        assertThat(String.join("\n\n", faults.values()))
                .as("inputs of seed %d that remat does not take as it says", SEED)
                .isEmpty();
    }

    private RunInput runner() throws IOException {
        return new RunInput(Files.createDirectory(folder.resolve("run" + folders++)));
    }

    private void run(String name, FuzzKind kind, int kinds) throws IOException {
        long begin = System.nanoTime();
        long most = INPUTS > 0 ? INPUTS / kinds : Long.MAX_VALUE;
        long nanos = INPUTS > 0 ? Long.MAX_VALUE : SECONDS * 1_000_000_000 / kinds;
        long count = 0;
        while (count < most && System.nanoTime() - begin < nanos && faults.size() < MOST_FAULTS) {
            long number = count++;
            FuzzInput input = kind.make(random(name, number));
            Optional<String> fault = runner.fault(input);
            if (fault.isPresent()) {
                report(name, number, input, fault.get());
            }
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(Locale.ROOT, "fuzz: %s, seed %d: %d inputs in %.1f s%n", name, SEED, count, seconds);
    }

    /** Numbers that depend on the seed, the kind and the input alone. */
    private static SplittableRandom random(String name, long number) {
        return new SplittableRandom((SEED * 31 + name.hashCode()) * 1_000_003 + number);
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
        String text = "%s, input %d of seed %d\n%s\n%s".formatted(name, number, SEED, fault, least.script());
        faults.put(signature, text);
        System.out.println("fuzz: fault: " + text);
    }

    private boolean sameFault(FuzzInput input, String signature) {
        return runner.fault(input).map(MinimizeInput::signature).equals(Optional.of(signature));
    }
}
