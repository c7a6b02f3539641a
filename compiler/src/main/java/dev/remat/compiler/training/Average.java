package dev.remat.compiler.training;

import dev.remat.ir.DType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.OpEmitter;
import java.util.List;

/**
 * Exponential moving averages of parameters, kept beside them for evaluation (Polyak and Juditsky, 1992): {@code
 * decay·average + (1 − decay)·parameter}, and the parameter itself after the first step.
 *
 * @param warmup whether the decay rises to its value, as {@code min(decay, (1 + step) / (10 + step))}
 * @param parameters that are averaged if they are trained
 */
public record Average(double decay, boolean warmup, List<ParameterPattern> parameters) {
    /** Of the average, the parameter and the shares of both. */
    static final ElementwiseUpdate UPDATE =
            ElementwiseUpdate.of("average", 0, "[mul p x2, mul g x3, add t0 t1]", "[t2]");

    public Average {
        if (!(decay >= 0 && decay < 1)) {
            throw new IllegalArgumentException("decay " + decay + " is not from 0 to below 1");
        }
        parameters = List.copyOf(parameters);
    }

    boolean covers(String parameter) {
        return parameters.stream().anyMatch(pattern -> pattern.matches(parameter));
    }

    /**
     * The shares of average and parameter, scalars.
     *
     * @param number of the update, from 1, an i64 scalar
     */
    List<ValueId> shares(OpEmitter graph, ValueId number) {
        ValueId step = graph.cast(number, DType.F64);
        ValueId usual = graph.filled(decay, graph.type(step));
        ValueId later = warmup
                ? graph.binary(Binary.Kind.MIN, graph.div(graph.plus(step, 1), graph.plus(step, 10)), usual)
                : usual;
        ValueId begins = graph.compare(Compare.Kind.LE, step, 1);
        ValueId kept = graph.select(begins, graph.filled(0, graph.type(step)), later);
        return List.of(kept, graph.sub(graph.filled(1, graph.type(step)), kept));
    }
}
