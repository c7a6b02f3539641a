package dev.remat.runtime.generate;

import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.IndexRange;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.text.Tokenizer;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.NotANumberException;
import dev.remat.runtime.train.Scalars;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.LongFunction;

/**
 * Continues a sequence of tokens one by one. The model sees as many of the last ones as its longest window takes, at
 * positions from 0 on. What can be kept of earlier tokens is kept while all of them are seen; else, and where all
 * positions move, it computes all of them again for every token.
 */
public final class Generator implements AutoCloseable {
    /** Names of the input that a model reads tokens from, of [B, T]. */
    public static final List<String> TOKENS = List.of("tokens", "input_ids");
    /** Name of the output with a row of V numbers for every token, of [B, T, V] or [B · T, V]. */
    public static final String LOGITS = "logits";

    private static final long SHORTEST_WINDOW = 16;

    private final long longest;
    private final boolean fixed;
    private final LongFunction<Executable> load;
    private final Optional<KeptPositions> kept;
    private final Tokenizer tokenizer;
    private final Sampling sampling;
    private final SplittableRandom random;
    private Executable executable;
    private long window;
    private boolean provenCausal;

    /**
     * Starts without having loaded anything.
     *
     * @param longest tokens that the model sees at once, at most
     * @param fixed whether it can see no fewer
     * @param continued loads plans over new positions; empty if the model has none
     * @param load a plan with the output {@link #LOGITS}, its parameters loaded, by the number of tokens it sees
     */
    public Generator(
            long longest,
            boolean fixed,
            LongFunction<Executable> load,
            Optional<Continued.Load> continued,
            Tokenizer tokenizer,
            Sampling sampling,
            long seed) {
        this.longest = longest;
        this.fixed = fixed;
        this.load = load;
        this.kept = continued.map(each -> new KeptPositions(longest, each));
        this.tokenizer = tokenizer;
        this.sampling = sampling;
        this.random = new SplittableRandom(seed);
    }

    /**
     * Draws the token after these.
     *
     * @param context at least one token
     * @throws DataException if a token is none of the model's, or what follows a token changes its logits
     * @throws NotANumberException if a logit is not a number
     */
    public int next(int[] context) {
        double[] logits = logits(context);
        int known = 0;
        for (int token = 0; token < logits.length; token++) {
            if (Double.isNaN(logits[token])) {
                throw new NotANumberException(
                        1, Location.NONE, "the logits after " + context.length + " tokens are not numbers");
            }
            boolean contained = tokenizer.contains(token);
            known += contained ? 1 : 0;
            logits[token] = contained ? logits[token] : Double.NEGATIVE_INFINITY;
        }
        if (known == 0) {
            throw new DataException("the tokenizer has none of the model's " + logits.length + " tokens");
        }
        return sampling.draw(logits, random.nextDouble());
    }

    /**
     * What scores the token after these.
     *
     * @param context at least one token
     * @throws DataException if a token is none of the model's, or what follows a token changes its logits
     */
    public double[] logits(int[] context) {
        return kept.isPresent() && context.length < longest ? kept.get().after(context) : ofAll(context);
    }

    /** Whether all positions are computed again for every token. */
    public boolean makesWholePasses() {
        return kept.isEmpty();
    }

    private double[] ofAll(int[] context) {
        kept.ifPresent(KeptPositions::close);
        int[] seen =
                Arrays.copyOfRange(context, context.length - (int) Math.min(longest, context.length), context.length);
        widen(seen.length);
        double[] logits = logits(seen, 0);
        if (!provenCausal && seen.length < window) {
            expectCausal(logits, logits(seen, 1));
            provenCausal = true;
        }
        return logits;
    }

    /** @throws DataException unless the logits are the same whatever follows the text */
    static void expectCausal(double[] logits, double[] before) {
        if (!Arrays.equals(logits, before)) {
            throw new DataException("the logits of a token depend on the tokens after it: the model is not"
                    + " causal, and what it has not seen cannot be left open");
        }
    }

    /** Tokens that the model sees at once at present. */
    public long window() {
        return Math.max(window, kept.map(KeptPositions::window).orElse(0L));
    }

    private void widen(long length) {
        if (executable == null || length > window) {
            window = fixed ? longest : Math.min(longest, window(length));
            closeWhole();
            executable = load.apply(window);
        }
    }

    /** A power of two, at least the shortest window and at least {@code length}. */
    static long window(long length) {
        return Math.max(SHORTEST_WINDOW, length <= 1 ? 1 : Long.highestOneBit(length - 1) << 1);
    }

    /** After the last of the tokens; the rest of the window is filled with {@code padding}. */
    private double[] logits(int[] tokens, long padding) {
        ExecutionPlan plan = executable.plan();
        try (Arena arena = Arena.ofConfined()) {
            for (InputSpec input : InputFeed.specs(plan)) {
                MemorySegment values =
                        arena.allocate(input.elements() * input.dtype().bytes(), Long.BYTES);
                if (TOKENS.contains(input.name())) {
                    fill(input, values, tokens, padding);
                }
                executable.write(plan.input(input.name()).offset(), values);
            }
        }
        executable.run(1);
        return logits(executable, tokens.length - 1);
    }

    /** The logits of a row. */
    static double[] logits(Executable executable, int at) {
        PlanOutput output = executable.plan().output(LOGITS);
        MemorySegment data = executable.read(output.offset(), output.type().bytes());
        long classes = output.type().shape().toArray()[output.type().shape().rank() - 1];
        double[] row = new double[(int) classes];
        for (int token = 0; token < classes; token++) {
            row[token] = Scalars.read(data, output.type().dtype(), at * classes + token);
        }
        return row;
    }

    static void fill(InputSpec input, MemorySegment values, int[] tokens, long padding) {
        long length = input.shape().get(1);
        for (int i = 0; i < length; i++) {
            long token = i < tokens.length ? tokens[i] : padding;
            IndexRange known = input.range(i);
            if (!known.contains(token)) {
                throw new DataException(
                        "the text has the token " + token + ", the model knows those below " + known.bound());
            }
            if (input.dtype() == DType.I32) {
                values.setAtIndex(ValueLayout.JAVA_INT, i, (int) token);
            } else {
                values.setAtIndex(ValueLayout.JAVA_LONG, i, token);
            }
        }
    }

    @Override
    public void close() {
        kept.ifPresent(KeptPositions::close);
        closeWhole();
    }

    private void closeWhole() {
        if (executable != null) {
            executable.close();
            executable = null;
        }
    }
}
