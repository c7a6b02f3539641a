package dev.remat.ir.op;

import java.util.OptionalInt;

/**
 * An operation whose results for the whole batch do not follow from those for its micro-batches. The message is a
 * clause that goes on behind the operation's name or place, such as "sorts along the batch".
 */
public final class BatchRoleException extends RuntimeException {
    private final transient OptionalInt mean;

    private BatchRoleException(String reason, OptionalInt mean) {
        super(reason);
        this.mean = mean;
    }

    BatchRoleException(String reason) {
        this(reason, OptionalInt.empty());
    }

    /** Where nothing is wrong but that operand {@code mean} is a {@link BatchRole.Mean}. */
    BatchRoleException(String reason, int mean) {
        this(reason, OptionalInt.of(mean));
    }

    /**
     * An operand that is a {@link BatchRole.Mean}, which is all that is wrong. With that operand computed beforehand,
     * over all micro-batches, and {@link BatchRole.Free} from there, the operation may be asked again; then another
     * operand may be refused for the same reason. Empty where no such thing lifts the refusal.
     */
    public OptionalInt mean() {
        return mean;
    }
}
