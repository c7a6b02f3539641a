package dev.remat.tests.reference;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.AfterLoss;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.BatchRole;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Broadcast;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Clamp;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CtcLoss;
import dev.remat.ir.op.CumulativeSum;
import dev.remat.ir.op.Draw;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import dev.remat.ir.op.LeakyRelu;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.Select;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Sort;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.StopGradient;
import dev.remat.ir.op.Table;
import dev.remat.ir.op.Transpose;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Random operations of a forward graph on small operands. Extents are numbers or {@link #axis}, a multiple of the
 * batch; where they stand is chance, so that many suit no operation and many no micro-batches.
 */
final class BatchTrials {
    static final Dim BATCH = Dim.symbol("B");

    /** An operation, its operands by the batch, and what these are to those of the whole batch. */
    record Trial(Op op, List<TensorType> operands, List<BatchRole> roles) {}

    private final Random random;
    /** How many rows an axis with the batch has for each row of it. */
    private final int share;

    private final int outer;

    private BatchTrials(Random random) {
        this.random = random;
        this.share = 1 << random.nextInt(3);
        this.outer = divisor();
    }

    /** Something like {@code example}. */
    static Trial like(Op example, Random random) {
        return new BatchTrials(random).trial(example);
    }

    private Trial trial(Op example) {
        return switch (example) {
            case AfterLoss a -> throw new IllegalArgumentException(a.mnemonic());
            case Unary u when u.kind() == Unary.Kind.NOT -> of(u, tensor(DType.BOOL));
            case Unary u -> of(u, real());
            case LeakyRelu l -> of(l, real());
            case Clamp c -> of(c, real());
            case Binary b
            when b.kind() == Binary.Kind.AND || b.kind() == Binary.Kind.OR -> twice(b, tensor(DType.BOOL));
            case Binary b -> twice(b, real());
            case Compare c -> twice(c, real());
            case Select s -> {
                TensorType x = real();
                yield of(s, x.with(DType.BOOL), x, x);
            }
            case Cast c -> of(c, tensor(random.nextBoolean() ? DType.I64 : DType.F64));
            case Constant c -> of(new Constant(c.value(), tensor(c.type().dtype())));
            case Iota i -> {
                TensorType type = tensor(DType.F64);
                List<Long> strides =
                        random.ints(type.rank(), 0, 2).asLongStream().boxed().toList();
                yield of(new Iota(i.start(), i.step(), new IndexMap(1, strides), type));
            }
            case Table t -> of(t);
            case StopGradient g -> of(g, real());
            case Contiguous c -> of(c, real());
            case Reshape r -> {
                TensorType x = real();
                yield of(new Reshape(regrouped(x.shape())), x);
            }
            case Broadcast b -> {
                TensorType y = real();
                List<Dim> dims = y.shape().dims().stream()
                        .map(d -> random.nextBoolean() ? Dim.ONE : d)
                        .toList();
                yield of(new Broadcast(y.shape()), y.with(new Shape(dims)));
            }
            case Transpose t -> {
                TensorType x = real();
                yield of(new Transpose(shuffled(axes(x.rank()))), x);
            }
            case Slice s -> {
                TensorType x = real();
                List<Dim> sizes = x.shape().dims().stream().map(this::part).toList();
                List<Dim> starts =
                        sizes.stream().map(d -> oneOf(Dim.ZERO, Dim.ONE, BATCH)).toList();
                yield of(new Slice(random.nextBoolean() ? starts : zeros(x.rank()), sizes), x);
            }
            case Pad p -> {
                TensorType x = real();
                yield of(new Pad(padding(x), padding(x), p.value()), x);
            }
            case Concat c -> {
                TensorType x = real();
                int axis = random.nextInt(x.rank());
                List<TensorType> parts = Stream.generate(() -> x.with(x.shape().with(axis, extent())))
                        .limit(1 + random.nextInt(3))
                        .toList();
                yield of(new Concat(axis), parts.toArray(TensorType[]::new));
            }
            case Reduce r -> {
                TensorType x =
                        r.kind() == Reduce.Kind.SUM && !r.wide() && random.nextBoolean() ? tensor(DType.I64) : real();
                yield of(new Reduce(r.kind(), some(x.rank()), r.wide()), x);
            }
            case MatMul m -> matMul(m);
            case Conv2d c -> of(c, images(c.geometry()), filters(c.geometry()));
            case ConvTranspose2d c -> {
                ConvGeometry g = c.geometry();
                Shape filters = filters(g).shape();
                Dim height = g.outputH(c.outputH(), filters.dim(2));
                Dim width = random.nextInt(8) == 0 ? axis() : g.outputW(c.outputW(), filters.dim(3));
                yield of(
                        c,
                        real(extent(), filters.dim(0), height, width),
                        real(filters.dims().toArray(Dim[]::new)));
            }
            case MaxPool2d p -> of(p, real(extent(), extent(), side(), side()));
            case AvgPool2d p -> of(p, real(extent(), extent(), side(), side()));
            case NormStatistics n -> {
                TensorType x = real();
                yield of(new NormStatistics(some(x.rank()), n.centered()), x);
            }
            case Normalize n -> normalize(n);
            case Softmax f -> of(f, real());
            case Sort o -> of(o, real());
            case CumulativeSum c -> of(c, tensor(random.nextBoolean() ? DType.I64 : DType.F64));
            case CrossEntropy c -> {
                Dim rows = c.perRow() ? extent() : Dim.of(3);
                yield of(c, real(rows, c.perRow() ? extent() : Dim.of(4)), tensor(DType.I64, rows));
            }
            case CtcLoss c -> {
                Dim samples = extent();
                TensorType lengths = tensor(DType.I64, samples);
                TensorType frames = real(oneOf(Dim.of(3), axis()), samples, oneOf(Dim.of(4), Dim.of(4), axis()));
                yield of(c, frames, tensor(DType.I64, samples, extent()), lengths, lengths);
            }
            case Embedding e ->
                of(e, tensor(e.rounded().isPresent() ? DType.F32 : DType.F64, extent(), extent()), tensor(DType.I64));
            case Gather g -> {
                TensorType x = real();
                int axis = random.nextInt(x.rank());
                yield of(new Gather(axis), x, x.with(DType.I64).with(x.shape().with(axis, extent())));
            }
            case ScatterAdd a -> {
                TensorType dy = real();
                Dim extent = random.nextInt(4) == 0 ? axis() : Dim.of(3);
                yield of(new ScatterAdd(random.nextInt(dy.rank()), extent), dy, dy.with(DType.I64));
            }
            case StepSeed s -> of(s);
            case ResetSeed r -> of(r);
            case Draw d ->
                of(new Draw(d.kind(), d.bound(), d.ordinal(), tensor(d.type().dtype())), TensorType.SEED);
            case Dropout d -> of(d, real(), TensorType.SEED);
            case Attention a -> attention(a);
            case RunningStatistics r -> of(r, Collections.nCopies(4, real()).toArray(TensorType[]::new));
        };
    }

    private Trial matMul(MatMul op) {
        List<Dim> front = Stream.generate(this::extent).limit(random.nextInt(3)).toList();
        Dim rows = extent();
        Dim columns = extent();
        Dim inner = extent();
        boolean shared = !front.isEmpty() && !op.transposeA() && random.nextBoolean();
        List<Dim> a = new ArrayList<>(front);
        a.addAll(op.transposeA() ? List.of(inner, rows) : List.of(rows, inner));
        List<Dim> b = new ArrayList<>(shared ? List.of() : front);
        b.addAll(op.transposeB() ? List.of(columns, inner) : List.of(inner, columns));
        return of(op, real(a.toArray(Dim[]::new)), real(b.toArray(Dim[]::new)));
    }

    private Trial normalize(Normalize like) {
        TensorType x = real();
        Normalize op = new Normalize(some(x.rank()), like.epsilon(), like.centered(), like.scaled(), like.shifted());
        TensorType statistic = x.with(x.shape().reduced(op.axes()));
        TensorType affine = x.with(x.shape().reduced(some(x.rank())));
        List<TensorType> operands = new ArrayList<>(List.of(x, statistic));
        operands.addAll(Collections.nCopies(op.centered() ? 1 : 0, statistic));
        operands.addAll(Collections.nCopies((op.scaled() ? 1 : 0) + (op.shifted() ? 1 : 0), affine));
        return of(op, operands.toArray(TensorType[]::new));
    }

    private Trial attention(Attention op) {
        Dim samples = extent();
        Dim heads = oneOf(Dim.of(1), Dim.of(2), axis());
        Dim queries = extent();
        Dim keys = extent();
        TensorType q = real(samples, heads.times(op.biased() ? 2 : 1), queries, Dim.of(2));
        TensorType scores = q.with(q.shape().with(3, keys));
        List<TensorType> operands = new ArrayList<>(
                List.of(q, real(samples, heads, keys, Dim.of(2)), real(samples, heads, keys, Dim.of(3))));
        if (op.masked()) {
            operands.add(scores.with(DType.BOOL).with(scores.shape().reduced(some(4))));
        }
        if (op.biased()) {
            operands.add(scores.with(scores.shape().reduced(some(4))));
        }
        return of(op, operands.toArray(TensorType[]::new));
    }

    private TensorType images(ConvGeometry geometry) {
        return real(extent(), Dim.of(2L * geometry.groups()), side(), side());
    }

    private TensorType filters(ConvGeometry geometry) {
        Dim channels = random.nextInt(8) == 0 ? axis() : Dim.of(3);
        return real(channels.times(geometry.groups()), Dim.of(2), Dim.of(3), Dim.of(geometry.groups() == 1 ? 3 : 2));
    }

    private Trial twice(Op op, TensorType type) {
        return of(op, type, type);
    }

    private Trial of(Op op, TensorType... operands) {
        return new Trial(
                op, List.of(operands), Stream.of(operands).map(this::role).toList());
    }

    private BatchRole role(TensorType type) {
        for (int axis = 0; axis < type.rank(); axis++) {
            if (type.dim(axis).mentions(BATCH)) {
                int runs = random.nextInt(8) == 0 ? divisor() : outer;
                return random.nextInt(5) == 0 ? new BatchRole.Alike(axis) : new BatchRole.Rows(axis, Dim.of(runs));
            }
        }
        boolean number = type.dtype().isFloat() || type.dtype().isInteger();
        return number && random.nextInt(3) == 0 ? new BatchRole.Mean() : new BatchRole.Free();
    }

    private int divisor() {
        return 1 << random.nextInt(Integer.numberOfTrailingZeros(share) + 1);
    }

    private Dim axis() {
        return BATCH.times(share);
    }

    private Dim extent() {
        return random.nextInt(3) == 0 ? axis() : Dim.of(1 + random.nextInt(3));
    }

    private Dim side() {
        return random.nextInt(8) == 0 ? axis() : Dim.of(4 + random.nextInt(2));
    }

    private TensorType real(Dim... extents) {
        return tensor(DType.F64, extents);
    }

    /** Without extents one to three random ones. */
    private TensorType tensor(DType dtype, Dim... extents) {
        List<Dim> dims = extents.length > 0
                ? List.of(extents)
                : Stream.generate(this::extent).limit(1 + random.nextInt(3)).toList();
        return new TensorType(dtype, new Shape(dims));
    }

    private Dim part(Dim extent) {
        return random.nextBoolean() ? extent : oneOf(Dim.ONE, BATCH, BATCH.times(2));
    }

    private List<Dim> padding(TensorType x) {
        return x.shape().dims().stream()
                .map(d -> oneOf(Dim.ZERO, Dim.ZERO, Dim.ONE))
                .toList();
    }

    /** The same factors in other axes, perhaps in another order. */
    private Shape regrouped(Shape shape) {
        List<Dim> factors = new ArrayList<>();
        for (Dim dim : shape.dims()) {
            if (dim.isConstant()) {
                factors.add(dim);
            } else {
                factors.addAll(List.of(BATCH, Dim.of(outer), Dim.of(share / outer)));
                Collections.shuffle(factors.subList(factors.size() - 3, factors.size()), random);
            }
        }
        List<Dim> dims = new ArrayList<>(List.of(Dim.ONE));
        for (Dim factor : random.nextBoolean() ? factors : shuffled(factors)) {
            if (random.nextBoolean()) {
                dims.add(factor);
            } else {
                dims.addLast(dims.removeLast().times(factor));
            }
        }
        return new Shape(dims);
    }

    private List<Integer> some(int rank) {
        return axes(rank).stream().filter(axis -> random.nextBoolean()).toList();
    }

    private static List<Integer> axes(int rank) {
        return IntStream.range(0, rank).boxed().toList();
    }

    private static List<Dim> zeros(int rank) {
        return Collections.nCopies(rank, Dim.ZERO);
    }

    private <T> List<T> shuffled(List<T> list) {
        List<T> copy = new ArrayList<>(list);
        Collections.shuffle(copy, random);
        return copy;
    }

    private Dim oneOf(Dim... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
