package dev.remat.compiler.batch;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Accumulate;
import java.util.List;

/** What micro-batches add to, as graphs have it: sections of a step share it by its name. */
public final class Accumulators {
    private static final String PREFIX = "accumulated.";

    private Accumulators() {}

    /** Holds the sum of values of this type, in f32 at least. */
    public static ValueId of(GraphBuilder builder, String name, TensorType type) {
        return builder.input(
                named(name),
                type.with(type.dtype().accumulator()),
                InputKind.ACCUMULATOR,
                Initializer.ZEROS,
                Location.NONE);
    }

    /** The same one in the graph of another section. */
    public static ValueId again(GraphBuilder builder, GraphBuilder other, ValueId accumulator) {
        ValueId again = builder.input(
                other.value(accumulator).name(),
                other.type(accumulator),
                InputKind.ACCUMULATOR,
                Initializer.ZEROS,
                Location.NONE);
        builder.carry(other.value(accumulator), again);
        return again;
    }

    /** The name of what adds up something of that name. */
    public static String named(String summed) {
        return PREFIX + summed;
    }

    /** What an accumulator of this name adds up, as {@link #of} was told. */
    public static String summed(String accumulator) {
        return accumulator.substring(accumulator.startsWith(PREFIX) ? PREFIX.length() : 0);
    }

    /** The number of the micro-batch. */
    public static ValueId microBatch(GraphBuilder builder) {
        return builder.inputOf(InputKind.MICRO_BATCH)
                .orElseGet(() -> builder.input(
                        InputKind.MICRO_BATCH.label(),
                        TensorType.scalar(DType.I64),
                        InputKind.MICRO_BATCH,
                        Initializer.ZEROS,
                        Location.NONE));
    }

    /** Adds a micro-batch's value of whatever dtype; the sum so far. */
    public static ValueId add(GraphBuilder builder, ValueId accumulator, ValueId value) {
        ValueId wide = builder.cast(value, builder.type(accumulator).dtype());
        builder.as(Role.UPDATE);
        return builder.emit(new Accumulate(), List.of(accumulator, wide, microBatch(builder)))
                .getFirst();
    }

    /** Adds a micro-batch's share of what the whole has as its mean. */
    public static ValueId addShare(GraphBuilder builder, ValueId accumulator, ValueId value, int microBatches) {
        ValueId wide = builder.cast(value, builder.type(accumulator).dtype());
        return add(builder, accumulator, builder.scale(wide, 1.0 / microBatches));
    }
}
