package dev.remat.runtime.cpu.norm;

import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.runtime.cpu.elementwise.Eltwise;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Input;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Reading;
import dev.remat.runtime.cpu.elementwise.Primitive;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.reduce.ReduceKernel;
import dev.remat.runtime.cpu.reduce.Reduction;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.IterationSpace;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Gradient of {@code y = (x − mean)·rsqrt(variance + epsilon)·gamma + beta} through the statistics: two reductions and
 * an elementwise pass, or one reduction where gamma repeats over just the normalized axes, as in batch normalization.
 */
public final class NormGradient {
    /** What the normalization read, and dy. Statistics and gamma have extent 1 where they repeat. */
    private record Operands(
            TensorView dy, TensorView x, Optional<TensorView> mean, TensorView variance, Optional<TensorView> gamma) {}

    /**
     * Where to write. Where there is a gamma there is dgamma, in f32 or f64, and dbeta unless {@link Elements#NONE}.
     */
    record Results(long dx, long dgamma, long dbeta, long workspace) {}

    private final Operands operands;
    private final Results to;
    private final int[] dims;
    private final DType wide;
    private final boolean[] reduced;
    private final double epsilon;
    private final long count;
    private final boolean gammaAlong;
    private final Optional<Reduction> sums;
    private final Optional<Reduction> affineSums;
    private final Eltwise gradient;
    private final Optional<BatchNormGradient> planes;
    private final Optional<RowNormGradient> rows;

    private NormGradient(Operands operands, Results to, boolean[] reduced, double epsilon) {
        this.operands = operands;
        this.to = to;
        this.dims = operands.x().dims();
        this.wide = operands.x().type().accumulator();
        this.reduced = reduced;
        this.epsilon = epsilon;
        this.count = ReduceKernel.count(dims, reduced);
        Optional<boolean[]> repeated = operands.gamma().map(NormGradient::repeatedAxes);
        this.gammaAlong = repeated.isPresent() && sameReduction(dims, repeated.get(), reduced);
        this.sums = gammaAlong
                ? Optional.empty()
                : Optional.of(reduction(reduced, operands.gamma().isPresent()));
        this.affineSums = repeated.map(axes -> reduction(axes, false));
        this.gradient = gradient();
        this.planes = gammaAlong ? planes() : Optional.empty();
        this.rows = rows();
    }

    public static CpuKernel of(NormalizeGradient op, OpTypes types) {
        TensorType x = types.operand(1);
        int[] dims = Shapes.dims(x);
        boolean[] axes = Shapes.flags(dims.length, op.axes());
        Optional<int[]> gamma =
                op.scaled() ? Optional.of(Shapes.dims(types.operand(op.gammaIndex()))) : Optional.empty();
        return new CpuKernel(workspaceBytes(x.dtype(), dims, axes, gamma), in -> {
            Operands operands = new Operands(
                    in.view(0),
                    in.view(1),
                    op.centered() ? Optional.of(in.view(2)) : Optional.empty(),
                    in.view(op.varianceIndex()),
                    op.scaled() ? Optional.of(in.view(op.gammaIndex())) : Optional.empty());
            Results to = new Results(
                    in.denseResult(0),
                    op.scaled() ? in.denseResult(1) : Elements.NONE,
                    op.shifted() ? in.denseResult(2) : Elements.NONE,
                    in.workspace());
            NormGradient kernel = new NormGradient(operands, to, axes, op.epsilon());
            return frame -> kernel.run(frame.pool(), frame.arena());
        });
    }

    /** Where one axis, the channels, is left of dense operands. */
    private Optional<BatchNormGradient> planes() {
        int channelAxis = -1;
        for (int axis = 0; axis < dims.length; axis++) {
            if (!reduced[axis] && dims[axis] > 1) {
                if (channelAxis >= 0) {
                    return Optional.empty();
                }
                channelAxis = axis;
            }
        }
        if (channelAxis < 0 || !isDense(operands.dy()) || !isDense(operands.x())) {
            return Optional.empty();
        }
        int outer = 1;
        int inner = 1;
        for (int axis = 0; axis < dims.length; axis++) {
            outer *= axis < channelAxis ? dims[axis] : 1;
            inner *= axis > channelAxis ? dims[axis] : 1;
        }
        if (inner < 16) {
            return Optional.empty();
        }
        BatchNormGradient.Offsets offsets = new BatchNormGradient.Offsets(
                operands.dy().offset(),
                operands.x().offset(),
                operands.mean().map(TensorView::offset).orElse(Elements.NONE),
                operands.variance().offset(),
                operands.gamma().orElseThrow());
        DType type = operands.x().type();
        return Optional.of(new BatchNormGradient(type, outer, dims[channelAxis], inner, epsilon, offsets));
    }

    /** Where the last axes are normalized, and gamma, if there is one, repeats over the others. */
    private Optional<RowNormGradient> rows() {
        int rows = rows(dims, reduced, operands.gamma().map(NormGradient::repeatedAxes));
        boolean dense = isDense(operands.dy())
                && isDense(operands.x())
                && isDense(operands.variance())
                && operands.mean().map(NormGradient::isDense).orElse(true)
                && operands.gamma().map(NormGradient::isDense).orElse(true);
        if (rows == 0 || wide == DType.F64 || !dense) {
            return Optional.empty();
        }
        RowNormGradient.Offsets offsets = new RowNormGradient.Offsets(
                operands.dy().offset(),
                operands.x().offset(),
                operands.mean().map(TensorView::offset).orElse(Elements.NONE),
                operands.variance().offset(),
                operands.gamma());
        return Optional.of(new RowNormGradient(operands.x().type(), rows, (int) count, epsilon, offsets));
    }

    /** How many rows are normalized that gamma repeats over; 0 where they are none, or too short. */
    private static int rows(int[] dims, boolean[] reduced, Optional<boolean[]> repeated) {
        boolean[] kept = new boolean[reduced.length];
        for (int axis = 0; axis < kept.length; axis++) {
            kept[axis] = !reduced[axis];
        }
        if (repeated.isPresent() && !sameReduction(dims, repeated.get(), kept)) {
            return 0;
        }
        int rows = 1;
        int columns = 1;
        for (int axis = 0; axis < dims.length; axis++) {
            if (dims[axis] > 1 && !reduced[axis] && columns > 1) {
                return 0;
            }
            rows *= reduced[axis] ? 1 : dims[axis];
            columns *= reduced[axis] ? dims[axis] : 1;
        }
        return columns < 16 ? 0 : rows;
    }

    private static boolean isDense(TensorView view) {
        long[] dense = IterationSpace.dense(view.dims());
        for (int axis = 0; axis < dense.length; axis++) {
            if (view.dims()[axis] > 1 && view.strides()[axis] != dense[axis]) {
                return false;
            }
        }
        return true;
    }

    private static boolean[] repeatedAxes(TensorView gamma) {
        boolean[] repeated = new boolean[gamma.dims().length];
        for (int axis = 0; axis < repeated.length; axis++) {
            repeated[axis] = gamma.dims()[axis] == 1;
        }
        return repeated;
    }

    private static boolean sameReduction(int[] dims, boolean[] a, boolean[] b) {
        for (int axis = 0; axis < dims.length; axis++) {
            if (dims[axis] > 1 && a[axis] != b[axis]) {
                return false;
            }
        }
        return true;
    }

    /** Bytes of workspace; the same for any number of threads. */
    private static long workspaceBytes(DType x, int[] dims, boolean[] reduced, Optional<int[]> gamma) {
        long reduction = Reduction.workspaceBytes(dims, reduced, 2, false);
        long byRow = 0;
        if (gamma.isPresent()) {
            boolean[] repeated = repeatedAxes(TensorView.dense(x, 0, gamma.get()));
            reduction = Math.max(reduction, Reduction.workspaceBytes(dims, repeated, 2, false));
            int rows = rows(dims, reduced, Optional.of(repeated));
            byRow = rows == 0 ? 0 : RowNormGradient.workspaceBytes(rows, (int) ReduceKernel.count(dims, reduced));
        }
        int channels = Arrays.stream(gamma.orElse(new int[0])).reduce(1, Math::multiplyExact);
        long byProgram = 2 * meanBytes(x.accumulator(), dims, reduced) + reduction;
        return Math.max(byRow, Math.max(byProgram, 8L * BatchNormGradient.COEFFICIENTS * channels));
    }

    private static long meanBytes(DType wide, int[] dims, boolean[] reduced) {
        long all = Arrays.stream(dims).asLongStream().reduce(1, Math::multiplyExact);
        long kept = all / ReduceKernel.count(dims, reduced);
        return Alignment.up(kept * wide.bytes(), Alignment.CACHE_LINE);
    }

    private long meanG() {
        return to.workspace;
    }

    private long meanGh() {
        return meanG() + meanBytes(wide, dims, reduced);
    }

    private void run(WorkerPool pool, MemorySegment arena) {
        if (planes.isPresent()) {
            planes.get().run(pool, arena, to);
            return;
        }
        if (rows.isPresent()) {
            rows.get().run(pool, arena, to);
            return;
        }
        long meanG = meanG();
        long meanGh = meanGh();
        long partial = meanGh + meanBytes(wide, dims, reduced);
        int bytes = wide.bytes();
        sums.ifPresent(reduction ->
                reduction.run(pool, arena, partial, RandomBits.NONE, (position, totals, at, step) -> {
                    Elements.set(arena, wide, meanG + position * bytes, totals[at] / count);
                    Elements.set(arena, wide, meanGh + position * bytes, totals[at + step] / count);
                }));
        affineSums.ifPresent(reduction ->
                reduction.run(pool, arena, partial, RandomBits.NONE, (position, totals, at, step) -> {
                    Elements.set(arena, wide, to.dgamma + position * bytes, totals[at + step]);
                    if (to.dbeta != Elements.NONE) {
                        Elements.set(arena, wide, to.dbeta + position * bytes, totals[at]);
                    }
                    if (gammaAlong) {
                        TensorView gamma = operands.gamma().orElseThrow();
                        double scale = Elements.get(
                                        arena,
                                        gamma.type(),
                                        gamma.offset() + position * gamma.type().bytes())
                                / count;
                        Elements.set(arena, wide, meanG + position * bytes, scale * totals[at]);
                        Elements.set(arena, wide, meanGh + position * bytes, scale * totals[at + step]);
                    }
                }));
        gradient.run(pool, arena);
    }

    /** Reduces dy·gamma (or dy) and its product with the normalized x. */
    private Reduction reduction(boolean[] axes, boolean scaled) {
        EltwiseProgram.Builder builder = new EltwiseProgram.Builder();
        Values values = values(builder, scaled);
        int gh = builder.apply(Primitive.MUL, wide, values.g(), values.h());
        return new Reduction(
                builder.build(values.g(), gh),
                List.of(Reduction.Kind.SUM, Reduction.Kind.SUM),
                dims,
                axes,
                views(scaled));
    }

    private Eltwise gradient() {
        EltwiseProgram.Builder builder = new EltwiseProgram.Builder();
        Inputs inputs = inputs(builder, true);
        int meanG = builder.input(wide);
        int meanGh = builder.input(wide);
        Values values = values(builder, inputs);
        int centered = operands.mean().isPresent() ? builder.apply(Primitive.SUB, wide, values.g(), meanG) : values.g();
        int along = builder.apply(Primitive.MUL, wide, values.h(), meanGh);
        int rest = builder.apply(Primitive.SUB, wide, centered, along);
        int dx = builder.apply(Primitive.MUL, operands.x().type(), rest, inputs.root());
        int[] kept = dims.clone();
        for (int axis = 0; axis < dims.length; axis++) {
            kept[axis] = reduced[axis] ? 1 : dims[axis];
        }
        List<TensorView> views = new ArrayList<>(views(true));
        views.add(TensorView.dense(wide, meanG(), kept).over(dims));
        views.add(TensorView.dense(wide, meanGh(), kept).over(dims));
        TensorView output = TensorView.dense(operands.x().type(), to.dx, dims);
        return new Eltwise(builder.build(dx), dims, views, List.of(output));
    }

    private record Inputs(int dy, int x, int mean, int root, int gamma) {}

    private record Values(int g, int h) {}

    private Inputs inputs(EltwiseProgram.Builder builder, boolean scaled) {
        int dy = builder.input(operands.dy().type());
        int x = builder.input(operands.x().type());
        int mean = operands.mean().map(view -> builder.input(view.type())).orElse(-1);
        int root = builder.input(new Input(operands.variance().type(), Reading.RECIPROCAL_ROOT, epsilon));
        int gamma = scaled
                ? operands.gamma().map(view -> builder.input(view.type())).orElse(-1)
                : -1;
        return new Inputs(dy, x, mean, root, gamma);
    }

    private Values values(EltwiseProgram.Builder builder, boolean scaled) {
        return values(builder, inputs(builder, scaled));
    }

    private Values values(EltwiseProgram.Builder builder, Inputs in) {
        int g = in.gamma() < 0 ? in.dy() : builder.apply(Primitive.MUL, wide, in.dy(), in.gamma());
        int centered = in.mean() < 0 ? in.x() : builder.apply(Primitive.SUB, wide, in.x(), in.mean());
        return new Values(g, builder.apply(Primitive.MUL, wide, centered, in.root()));
    }

    private List<TensorView> views(boolean scaled) {
        List<TensorView> views = new ArrayList<>(List.of(operands.dy(), operands.x()));
        operands.mean().ifPresent(views::add);
        views.add(operands.variance());
        operands.gamma().filter(view -> scaled).ifPresent(views::add);
        return views.stream().map(view -> view.over(dims)).toList();
    }
}
