package dev.remat.runtime.generate;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.train.InputFeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/**
 * Scores the token after a text that grows by a token each time: the positions of a text that is new are computed at
 * once, then each token alone, with what is kept of those before it. What is kept lies in the arena of the plan that is
 * loaded, which is one at a time; its window doubles when it is full.
 */
final class KeptPositions implements AutoCloseable {
    private final long longest;
    private final Continued.Load load;
    private Continued loaded;
    private List<InputSpec> inputs = List.of();
    private long window;
    private int[] past = {};
    private boolean provenCausal;

    /** @param longest positions that there may be */
    KeptPositions(long longest, Continued.Load load) {
        this.longest = longest;
        this.load = load;
    }

    long window() {
        return window;
    }

    /**
     * The logits after a text.
     *
     * @param text shorter than the longest
     * @throws dev.remat.runtime.io.DataException if what follows a token changes its logits
     */
    double[] after(int[] text) {
        int before = text.length - 1;
        boolean goesOn = loaded != null && past.length == before && Arrays.equals(past, 0, before, text, 0, before);
        double[] logits = goesOn ? one(text) : all(text);
        past = text.clone();
        return logits;
    }

    private double[] all(int[] text) {
        close();
        window = Math.min(longest, Generator.window(text.length + 1L));
        load(window);
        double[] logits = run(text, 0, 0, text.length - 1);
        if (!provenCausal) {
            Generator.expectCausal(logits, run(text, 0, 1, text.length - 1));
            provenCausal = true;
        }
        try (Arena arena = Arena.ofConfined()) {
            Rows[] rows = loaded.kept().stream()
                    .map(kept -> Rows.ofOutput(loaded, kept, arena))
                    .toArray(Rows[]::new);
            reload(rows, text.length);
        }
        return logits;
    }

    private double[] one(int[] text) {
        int at = text.length - 1;
        if (at >= window) {
            window = Math.min(longest, 2 * window);
            try (Arena arena = Arena.ofConfined()) {
                Rows[] rows = loaded.kept().stream()
                        .map(kept -> Rows.ofState(loaded, kept, arena))
                        .toArray(Rows[]::new);
                reload(rows, at);
            }
        }
        double[] logits = run(new int[] {text[at]}, at, 0, 0);
        try (Arena arena = Arena.ofConfined()) {
            for (Continued.Kept kept : loaded.kept()) {
                Rows.ofOutput(loaded, kept, arena).write(loaded, kept, 1, at);
            }
        }
        return logits;
    }

    /** Loads the plan for one position, and gives it what is kept of the first. */
    private void reload(Rows[] rows, int count) {
        close();
        load(1);
        for (int i = 0; i < rows.length; i++) {
            rows[i].write(loaded, loaded.kept().get(i), count, 0);
        }
    }

    private void load(long positions) {
        loaded = load.load(window, positions);
        inputs = InputFeed.specs(loaded.executable().plan());
    }

    /** Runs the plan over tokens from a position on, and takes the logits of one of them. */
    private double[] run(int[] tokens, long first, long padding, int wanted) {
        ExecutionPlan plan = loaded.executable().plan();
        try (Arena arena = Arena.ofConfined()) {
            for (InputSpec input : inputs) {
                MemorySegment values =
                        arena.allocate(input.elements() * input.dtype().bytes(), Long.BYTES);
                if (input.name().equals(loaded.positions())) {
                    for (long i = 0; i < input.elements(); i++) {
                        values.setAtIndex(ValueLayout.JAVA_LONG, i, first + i);
                    }
                } else {
                    Generator.fill(input, values, tokens, padding);
                }
                loaded.executable().write(plan.input(input.name()).offset(), values);
            }
        }
        loaded.executable().run(1);
        return Generator.logits(loaded.executable(), wanted);
    }

    @Override
    public void close() {
        if (loaded != null) {
            loaded.executable().close();
            loaded = null;
        }
    }

    /**
     * Rows of positions.
     *
     * @param outer how many runs of rows there are
     * @param count rows of each run
     * @param bytes of a row
     */
    private record Rows(MemorySegment data, long outer, long count, long bytes) {
        static Rows ofOutput(Continued from, Continued.Kept kept, Arena arena) {
            var output = from.executable().plan().output(kept.name());
            return of(
                    from,
                    output.type().shape().toArray(),
                    output.offset(),
                    output.type().bytes(),
                    kept,
                    arena);
        }

        static Rows ofState(Continued from, Continued.Kept kept, Arena arena) {
            var state = from.executable().plan().input(kept.name());
            return of(
                    from,
                    state.type().shape().toArray(),
                    state.offset(),
                    state.type().bytes(),
                    kept,
                    arena);
        }

        private static Rows of(Continued from, long[] shape, long offset, long size, Continued.Kept kept, Arena arena) {
            MemorySegment data = arena.allocate(size, Long.BYTES);
            data.copyFrom(from.executable().read(offset, size));
            long outer = Arrays.stream(shape, 0, kept.axis()).reduce(1, (a, b) -> a * b);
            return new Rows(data, outer, shape[kept.axis()], size / outer / shape[kept.axis()]);
        }

        /** Puts the first of each run where the rows from a position on are. */
        void write(Continued to, Continued.Kept kept, long rows, long position) {
            var state = to.executable().plan().input(kept.name());
            long window = state.type().dim(kept.axis()).value();
            for (long run = 0; run < outer; run++) {
                to.executable()
                        .write(
                                state.offset() + (run * window + position) * bytes,
                                data.asSlice(run * count * bytes, rows * bytes));
            }
        }
    }
}
