package dev.remat.runtime.text.data;

import dev.remat.ir.DType;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.Dataset.Share;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.Samples;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Windows of T + 1 tokens of a long text: the input {@code tokens}, or {@code input_ids}, gets the first T of them,
 * {@code targets} the last T, all integers of shape [B, T]. Windows follow each other T apart; what fills none at the
 * end of a share is left out. The last tenth of the tokens is held back.
 */
final class TokenWindows implements Samples {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final String TARGETS = "targets";
    private static final List<String> NAMES = List.of("tokens", "input_ids", TARGETS);

    /** The tokens of a text. */
    interface Tokens {
        long count();

        int at(long place);

        /** So many of them, in words, such as {@code 3 bytes}. */
        String told(long count);

        /** @throws CorruptFileException if the text has changed since it was opened */
        default void check() {}
    }

    private final Tokens tokens;
    private final long from;
    private final long to;
    private final long length;

    private TokenWindows(Tokens tokens, long from, long to, long length) {
        this.tokens = tokens;
        this.from = from;
        this.to = to;
        this.length = length;
    }

    /**
     * The windows of a share.
     *
     * @param of what a message calls the text
     * @throws DataException if text cannot feed the inputs, or there is no window
     */
    static TokenWindows of(Tokens tokens, List<InputSpec> inputs, Share share, String of) {
        for (InputSpec input : inputs) {
            if (!NAMES.contains(input.name())
                    || !input.dtype().isInteger()
                    || input.shape().size() != 2
                    || !input.shape().equals(inputs.getFirst().shape())) {
                throw new DataException("text feeds inputs tokens and targets, integers of one shape [B, T]; the model"
                        + " asks for " + input);
            }
        }
        long length = inputs.isEmpty() ? 1 : inputs.getFirst().shape().get(1);
        long heldBackFrom = tokens.count() - tokens.count() / HELD_BACK_SHARE;
        long from = share == Share.HELD_BACK ? heldBackFrom : 0;
        long to = share == Share.TRAINING ? heldBackFrom : tokens.count();
        if (to - from < length + 1) {
            throw new DataException(of + " has " + tokens.told(to - from) + " for "
                    + (share == Share.TRAINING ? "training" : "evaluation") + ", but a window takes " + (length + 1)
                    + "; give a longer text or a smaller T");
        }
        return new TokenWindows(tokens, from, to, length);
    }

    @Override
    public long count() {
        return (to - from - 1) / length;
    }

    @Override
    public void copy(long sample, InputSpec input, MemorySegment target, long offset) {
        tokens.check();
        long start = from + sample * length + (input.name().equals(TARGETS) ? 1 : 0);
        for (long i = 0; i < length; i++) {
            int token = tokens.at(start + i);
            if (input.dtype() == DType.I32) {
                target.set(INT, offset + i * Integer.BYTES, token);
            } else {
                target.set(LONG, offset + i * Long.BYTES, token);
            }
        }
    }
}
