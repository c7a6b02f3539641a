package dev.remat.ir.plan;

/**
 * What happens at one step of an {@link OperatorSequence}: a node runs, or a value is moved between the device and a
 * tier below it.
 *
 * <p>A value has at most one copy below, the one stored last. Transfers are begun where they stand and run in lanes of
 * their own; a node that reads what was fetched waits for it.
 */
public sealed interface SequenceStep {
    /** Computes a node, for the first time or again. */
    record Run(int node) implements SequenceStep {}

    /** Begins to copy what is on the device of a value to the tier with that index. */
    record Store(int value, int tier) implements SequenceStep {}

    /** Waits until the store of the value that was begun last has ended, so that its memory may be used again. */
    record Await(int value) implements SequenceStep {}

    /** Begins to copy the value from below into new memory of the device. */
    record Fetch(int value) implements SequenceStep {}

    /** Most tiers that steps can tell apart. */
    int MOST_TIERS = 16;
    /** Most values that steps with transfers can tell apart. */
    int MOST_VALUES = 1 << 25;

    /**
     * The step as a number: the node where one runs, below zero for all else, so that what knows of no transfers finds
     * none.
     */
    default int code() {
        return switch (this) {
            case Run run -> run.node();
            case Store store -> code(store.value(), store.tier(), 0);
            case Await await -> code(await.value(), 0, 1);
            case Fetch fetch -> code(fetch.value(), 0, 2);
        };
    }

    /** The step that has this number. */
    static SequenceStep of(int code) {
        int bits = -1 - code;
        int value = bits >> 6;
        return code >= 0
                ? new Run(code)
                : switch (bits & 3) {
                    case 0 -> new Store(value, bits >> 2 & MOST_TIERS - 1);
                    case 1 -> new Await(value);
                    case 2 -> new Fetch(value);
                    default -> throw new IllegalArgumentException(code + " is no step");
                };
    }

    private static int code(int value, int tier, int kind) {
        if (value < 0 || value >= MOST_VALUES || tier < 0 || tier >= MOST_TIERS) {
            throw new IllegalArgumentException(
                    "value " + value + " and tier " + tier + " are beyond what a step holds");
        }
        return -1 - (value << 6 | tier << 2 | kind);
    }
}
