package dev.remat.tests.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Leaves out of an input what its fault does not need (delta debugging, Zeller and Hildebrandt, 2002). */
final class MinimizeInput {
    private final Predicate<FuzzInput> isFaulty;
    private int trials;

    private MinimizeInput(Predicate<FuzzInput> isFaulty, int trials) {
        this.isFaulty = isFaulty;
        this.trials = trials;
    }

    /**
     * A part of {@code input} that is still faulty.
     *
     * @param trials how often {@code isFaulty} may be asked
     */
    static FuzzInput run(FuzzInput input, Predicate<FuzzInput> isFaulty, int trials) {
        return new MinimizeInput(isFaulty, trials).run(input);
    }

    private FuzzInput run(FuzzInput input) {
        FuzzInput least = input;
        for (String name : List.copyOf(least.files().sequencedKeySet())) {
            FuzzInput fewer = least.without(name);
            least = fails(fewer) ? fewer : least;
        }
        for (int c = least.commands().size() - 1; c >= 0; c--) {
            int at = c;
            FuzzInput whole = least;
            List<String> words = parts(whole.commands().get(c), kept -> replaced(whole, at, kept));
            least = replaced(whole, at, words);
        }
        for (String name : List.copyOf(least.files().sequencedKeySet())) {
            FuzzInput whole = least;
            byte[] content = whole.files().get(name);
            if (FuzzInput.isText(content)) {
                String text = new String(content, StandardCharsets.UTF_8);
                List<String> lines = parts(Mutation.lines(text), kept -> with(whole, name, kept));
                List<String> tokens = parts(Mutation.tokens(String.join("", lines)), kept -> with(whole, name, kept));
                least = with(whole, name, tokens);
            } else {
                List<Integer> all = IntStream.range(0, content.length).boxed().toList();
                List<Integer> kept = parts(all, some -> whole.file(name, bytes(content, some)));
                least = whole.file(name, bytes(content, kept));
            }
        }
        return least;
    }

    private static FuzzInput replaced(FuzzInput input, int command, List<String> words) {
        List<List<String>> commands = new ArrayList<>(input.commands());
        commands.set(command, words);
        return new FuzzInput(commands, input.files());
    }

    private static FuzzInput with(FuzzInput input, String name, List<String> text) {
        return input.file(name, String.join("", text).getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] bytes(byte[] content, List<Integer> kept) {
        byte[] some = new byte[kept.size()];
        for (int i = 0; i < some.length; i++) {
            some[i] = content[kept.get(i)];
        }
        return some;
    }

    private boolean fails(FuzzInput input) {
        return trials-- > 0 && isFaulty.test(input);
    }

    /** Elements that are still faulty together. */
    private <T> List<T> parts(List<T> all, Function<List<T>, FuzzInput> with) {
        List<T> least = all;
        for (int size = (all.size() + 1) / 2; size > 0 && trials > 0; size = size == 1 ? 0 : (size + 1) / 2) {
            for (int from = 0; from < least.size(); ) {
                List<T> fewer = new ArrayList<>(least.subList(0, from));
                fewer.addAll(least.subList(Math.min(least.size(), from + size), least.size()));
                if (fails(with.apply(fewer))) {
                    least = fewer;
                } else {
                    from += size;
                }
            }
        }
        return least;
    }

    /** Two faults are the same if their first lines are, but for numbers and what is quoted. */
    static String signature(String fault) {
        String first = Arrays.stream(fault.split("\n")).findFirst().orElse("");
        return first.replaceAll("'[^']*'|\"[^\"]*\"", "''").replaceAll("[\\d.]+(E[\\d-]+)?", "N");
    }
}
