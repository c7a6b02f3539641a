package dev.remat.runtime.cpu.update;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.AdafactorUpdate;
import dev.remat.ir.op.AdagradUpdate;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.AdamVariantUpdate;
import dev.remat.ir.op.LionUpdate;
import dev.remat.ir.op.OptimizerUpdate;
import dev.remat.ir.op.RmsPropUpdate;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.ir.op.UpdateRows;
import dev.remat.runtime.cpu.kernel.Binding;
import dev.remat.runtime.cpu.kernel.BoundKernelStep;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.update.StagedUpdate.Rule;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;

/** Optimizer steps on some elements of a parameter: where the operands lie, and the rule of each. */
public final class OptimizerKernel {
    /** A scalar operand that every step reads anew. */
    private record Real(DType type, long offset) {
        double in(MemorySegment arena) {
            return Elements.get(arena, type, offset);
        }
    }

    /** The rule of one step, for its learning rate and what the gradient is multiplied by. */
    @FunctionalInterface
    private interface StepRule {
        Rule at(MemorySegment arena, double rate, double factor);
    }

    private final Binding in;
    private final long from;
    private final long count;

    private OptimizerKernel(Binding in, long from, long count) {
        this.in = in;
        this.from = from;
        this.count = count;
    }

    public static CpuKernel of(OptimizerUpdate op) {
        return new CpuKernel(in -> new OptimizerKernel(in, 0, in.operandType(0).elements()).bind(op));
    }

    public static CpuKernel of(UpdateRows op) {
        return new CpuKernel(in -> {
            long count = op.rows(in.operandType(0)).elements();
            long before = count / (op.to() - op.from()) * op.from();
            return new OptimizerKernel(in, before, count).bind(op.update());
        });
    }

    private BoundKernelStep bind(OptimizerUpdate update) {
        return switch (update) {
            case SgdUpdate op -> {
                long step = op.isDampened() ? in.dense(4) : Elements.NONE;
                yield bind(
                        states(3, op.hasVelocity() ? 1 : 0),
                        2,
                        op.clipped() ? op.factorIndex() : 0,
                        (arena, rate, factor) ->
                                sgd(op, rate, factor, op.isDampened() ? op.kept(arena.get(JAVA_LONG, step)) : 1));
            }
            case AdamUpdate op -> {
                long step = in.dense(5);
                yield bind(
                        states(2, 2),
                        4,
                        op.clipped() ? 6 : 0,
                        (arena, rate, factor) -> adam(op, rate, factor, arena.get(JAVA_LONG, step)));
            }
            case AdamVariantUpdate op -> {
                Real[] sizes = IntStream.rangeClosed(1, op.kind().sizes())
                        .mapToObj(size -> real(op.rateIndex() + size))
                        .toArray(Real[]::new);
                yield bind(
                        states(2, op.rateIndex() - 2),
                        op.rateIndex(),
                        op.clipped() ? op.factorIndex() : 0,
                        (arena, rate, factor) -> adamVariant(op, rate, factor, in(arena, sizes)));
            }
            case AdagradUpdate op -> {
                long step = in.dense(4);
                yield bind(
                        states(2, 1),
                        3,
                        op.clipped() ? 5 : 0,
                        (arena, rate, factor) -> adagrad(op, rate / op.slowing(arena.get(JAVA_LONG, step)), factor));
            }
            case AdafactorUpdate op -> {
                Real size = real(3);
                Factors factors = op.factored() ? Factors.of(in) : Factors.NONE;
                yield bind(
                        states(4, op.factored() ? 0 : 1),
                        2,
                        op.clipped() ? op.factorIndex() : 0,
                        (arena, rate, factor) -> op.factored()
                                ? adafactor(op, rate, size.in(arena) * factor, factors, arena)
                                : adafactor(op, rate, size.in(arena) * factor));
            }
            case LionUpdate op ->
                bind(states(2, 1), 3, op.clipped() ? 4 : 0, (_, rate, factor) -> lion(op, rate, factor));
            case RmsPropUpdate op ->
                bind(
                        states(3, op.states()),
                        2,
                        op.clipped() ? 3 + op.states() : 0,
                        (_, rate, factor) -> rmsProp(op, rate, factor));
        };
    }

    /** @param factor operand that the gradient is multiplied by, 0 for none */
    private BoundKernelStep bind(long[] states, int rate, int factor, StepRule rule) {
        StagedUpdate tensors = StagedUpdate.of(in, from, count, states);
        Real rates = real(rate);
        if (factor == 0) {
            return frame -> tensors.run(frame, rule.at(frame.arena(), rates.in(frame.arena()), 1));
        }
        Real factors = real(factor);
        return frame -> tensors.run(frame, rule.at(frame.arena(), rates.in(frame.arena()), factors.in(frame.arena())));
    }

    private long[] states(int first, int count) {
        return IntStream.range(first, first + count).mapToLong(in::dense).toArray();
    }

    private Real real(int operand) {
        return new Real(in.dtype(operand), in.dense(operand));
    }

    private static double[] in(MemorySegment arena, Real[] scalars) {
        double[] values = new double[scalars.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = scalars[i].in(arena);
        }
        return values;
    }

    /** @param kept what of the gradient comes to the velocity */
    private static Rule sgd(SgdUpdate op, double rate, double factor, double kept) {
        boolean moves = op.hasVelocity();
        return (at, p, g, s, n) -> {
            double[] m = moves ? s[0] : g;
            for (int i = 0; i < n; i++) {
                double slope = factor * g[i] + op.weightDecay() * p[i];
                double direction = slope;
                if (moves) {
                    m[i] = op.momentum() * m[i] + kept * slope;
                    direction = op.nesterov() ? slope + op.momentum() * m[i] : m[i];
                }
                p[i] -= rate * direction;
            }
        };
    }

    /** @param step counted from 1 */
    private static Rule adam(AdamUpdate op, double rate, double factor, long step) {
        double shrink = op.decoupled() ? 1 - rate * op.weightDecay() : 1;
        double pull = op.decoupled() ? 0 : op.weightDecay();
        double correction1 = 1 / (1 - StrictMath.pow(op.beta1(), step));
        double correction2 = 1 / (1 - StrictMath.pow(op.beta2(), step));
        return (at, p, g, s, n) -> {
            double[] m = s[0];
            double[] v = s[1];
            for (int i = 0; i < n; i++) {
                double slope = factor * g[i] + pull * p[i];
                m[i] = op.beta1() * m[i] + (1 - op.beta1()) * slope;
                v[i] = op.beta2() * v[i] + (1 - op.beta2()) * slope * slope;
                double size = Math.sqrt(v[i] * correction2) + op.epsilon();
                p[i] = shrink * p[i] - rate * (m[i] * correction1) / size;
            }
        };
    }

    /** The states are the first moment, squares, and the largest of these if any. */
    private static Rule adamVariant(AdamVariantUpdate op, double rate, double factor, double[] sizes) {
        double shrink = op.decoupled() ? 1 - rate * op.weightDecay() : 1;
        double pull = op.decoupled() ? 0 : op.weightDecay();
        double epsilon = op.epsilon();
        return (at, p, g, s, n) -> {
            double[] m = s[0];
            double[] v = s[1];
            for (int i = 0; i < n; i++) {
                double slope = factor * g[i] + pull * p[i];
                m[i] = op.beta1() * m[i] + (1 - op.beta1()) * slope;
                v[i] = op.kind() == AdamVariantUpdate.Kind.ADAMAX
                        ? Math.max(op.beta2() * v[i], Math.abs(slope) + epsilon)
                        : op.beta2() * v[i] + (1 - op.beta2()) * slope * slope;
                double change = switch (op.kind()) {
                    case AMSGRAD -> {
                        s[2][i] = Math.max(s[2][i], v[i]);
                        yield sizes[0] * m[i] / (Math.sqrt(sizes[1] * s[2][i]) + epsilon);
                    }
                    case NADAM -> (sizes[0] * slope + sizes[1] * m[i]) / (Math.sqrt(sizes[2] * v[i]) + epsilon);
                    case RADAM -> sizes[0] * m[i] + sizes[1] * m[i] / (Math.sqrt(v[i]) + epsilon);
                    case ADAMAX -> sizes[0] * m[i] / v[i];
                };
                p[i] = shrink * p[i] - change;
            }
        };
    }

    private static Rule lion(LionUpdate op, double rate, double factor) {
        double shrink = 1 - rate * op.weightDecay();
        return (at, p, g, s, n) -> {
            double[] m = s[0];
            for (int i = 0; i < n; i++) {
                double slope = factor * g[i];
                p[i] = shrink * p[i] - rate * Math.signum(op.beta1() * m[i] + (1 - op.beta1()) * slope);
                m[i] = op.beta2() * m[i] + (1 - op.beta2()) * slope;
            }
        };
    }

    /** @param rate that of the step */
    private static Rule adagrad(AdagradUpdate op, double rate, double factor) {
        return (at, p, g, s, n) -> {
            double[] squares = s[0];
            for (int i = 0; i < n; i++) {
                double slope = factor * g[i] + op.weightDecay() * p[i];
                squares[i] += slope * slope;
                p[i] -= rate * slope / (Math.sqrt(squares[i]) + op.epsilon());
            }
        };
    }

    /** The states are an average of squares, one of gradients if centered, and a velocity if there is momentum. */
    private static Rule rmsProp(RmsPropUpdate op, double rate, double factor) {
        int last = op.states() - 1;
        return (at, p, g, s, n) -> {
            for (int i = 0; i < n; i++) {
                double slope = factor * g[i] + op.weightDecay() * p[i];
                s[0][i] = op.alpha() * s[0][i] + (1 - op.alpha()) * slope * slope;
                double spread = s[0][i];
                if (op.centered()) {
                    s[1][i] = op.alpha() * s[1][i] + (1 - op.alpha()) * slope;
                    spread -= s[1][i] * s[1][i];
                }
                double direction = slope / (Math.sqrt(spread) + op.epsilon());
                if (op.hasVelocity()) {
                    double[] velocity = s[last];
                    velocity[i] = op.momentum() * velocity[i] + direction;
                    direction = velocity[i];
                }
                p[i] -= rate * direction;
            }
        };
    }

    /** @param size of the step times the gradient's factor */
    private static Rule adafactor(AdafactorUpdate op, double rate, double size) {
        double shrink = 1 - rate * op.weightDecay();
        return (at, p, g, s, n) -> {
            for (int i = 0; i < n; i++) {
                p[i] = shrink * p[i] - size * g[i] / Math.max(Math.sqrt(s[0][i]), op.epsilon());
            }
        };
    }

    /**
     * Estimates of squares as products.
     *
     * @param rows address of [.., height, 1]
     * @param columns address of [.., 1, width]
     */
    private record Factors(DType type, long rows, long columns, long height, long width) {
        static final Factors NONE = new Factors(DType.F32, Elements.NONE, Elements.NONE, 0, 0);

        static Factors of(Binding in) {
            TensorType type = in.operandType(0);
            return new Factors(
                    type.dtype(),
                    in.dense(4),
                    in.dense(5),
                    type.dim(type.rank() - 2).value(),
                    type.dim(type.rank() - 1).value());
        }

        double row(MemorySegment arena, long row) {
            return Elements.get(arena, type, rows + row * type.bytes());
        }

        double column(MemorySegment arena, long row, long column) {
            return Elements.get(arena, type, columns + (row / height * width + column) * type.bytes());
        }
    }

    /** The same with an estimate in factors. */
    private static Rule adafactor(AdafactorUpdate op, double rate, double size, Factors factors, MemorySegment arena) {
        double shrink = 1 - rate * op.weightDecay();
        return (at, p, g, s, n) -> {
            long row = at / factors.width;
            long column = at % factors.width;
            double ofRow = factors.row(arena, row);
            for (int i = 0; i < n; i++) {
                double ofColumn = factors.column(arena, row, column);
                p[i] = shrink * p[i] - size * g[i] / Math.max(Math.sqrt(ofRow * ofColumn), op.epsilon());
                if (++column == factors.width && i + 1 < n) {
                    column = 0;
                    ofRow = factors.row(arena, ++row);
                }
            }
        };
    }
}
