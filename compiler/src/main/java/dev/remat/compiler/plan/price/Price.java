package dev.remat.compiler.plan.price;

import java.util.List;
import java.util.Locale;

/**
 * What becomes of a sequence if one value of it is treated otherwise and all else stays as it is: see {@link Prices}.
 */
public sealed interface Price {
    /** The same where the sequence runs {@code rounds} times. */
    Price each(int rounds);

    /** How the value is treated instead. */
    enum Change {
        /**
         * A value that is kept for the backward is let go before it, and computed again when it is first read there.
         */
        DROP,
        /** A value that is computed again is kept from its first computation on. */
        KEEP;

        /** As printed: {@code drop}, {@code keep}. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Why a value cannot be treated otherwise. */
    enum Obstacle {
        RUNS_ONCE("its node must run once"),
        PIN("the model pins it"),
        OUTPUT("it is an output of the step"),
        OVERWRITTEN("what its node reads is overwritten before it would run again");

        private final String text;

        Obstacle(String text) {
            this.text = text;
        }

        /** As printed: {@code runs-once}. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** A clause for people. */
        public String text() {
            return text;
        }
    }

    /**
     * What the evaluator says of the changed sequence, less what it says of the one that was chosen.
     *
     * @param cost change of the cost, in the unit of the problem's costs
     * @param peakBytes change of the peak
     * @param added nodes that run once more, in their order
     * @param removed nodes that run once less, in the order of the runs that go
     */
    record Changed(Change change, long cost, long peakBytes, List<Integer> added, List<Integer> removed)
            implements Price {
        public Changed {
            added = List.copyOf(added);
            removed = List.copyOf(removed);
        }

        @Override
        public Changed each(int rounds) {
            return new Changed(change, Math.multiplyExact(cost, (long) rounds), peakBytes, added, removed);
        }
    }

    /** There is no valid sequence with that change alone. */
    record Fixed(Change change, Obstacle obstacle) implements Price {
        @Override
        public Fixed each(int rounds) {
            return this;
        }
    }
}
