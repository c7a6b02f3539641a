package dev.remat.tests.steps;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Clamp;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.LeakyRelu;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Select;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.UnaryGradient;
import dev.remat.tests.reference.ReferenceInterpreter;
import dev.remat.tests.reference.Rounding;
import dev.remat.tests.reference.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Random steps of several instructions: elementwise chains, alone, before a reduction or after a product. */
public final class FusedCases {
    private static final long[] EXTENTS = {1, 2, 3, 5, 7, 8, 13, 16, 31, 64, 67, 130};
    /** Long products leave the range of numbers. */
    private static final List<Reduce.Kind> REDUCED =
            List.of(Reduce.Kind.SUM, Reduce.Kind.MEAN, Reduce.Kind.MAX, Reduce.Kind.MIN);

    private static final long MOST_ELEMENTS = 6000;
    private static final ReferenceInterpreter REFERENCE = new ReferenceInterpreter(Rounding.TO_DTYPE, SingleStep.SEED);

    private final Random random;
    private final DType dtype;
    private final RandomViews views;
    private final List<Instruction> body = new ArrayList<>();
    private final List<StepSample.Source> sources = new ArrayList<>();

    private FusedCases(Random random, DType dtype) {
        this.random = random;
        this.dtype = dtype;
        this.views = new RandomViews(random);
    }

    /** Elementwise steps over random shapes; some store an intermediate result too. */
    public static List<OpCase> chains(DType dtype, int count, long seed) {
        Random random = new Random(seed);
        List<OpCase> cases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FusedCases step = new FusedCases(random, dtype);
            long[] extents = step.extents(1 + random.nextInt(4));
            Operand.FromInstruction last = step.chain(step.read(extents), extents, 1 + random.nextInt(6));
            List<Operand.FromInstruction> written = new ArrayList<>(List.of(last));
            if (last.instruction() > 0 && random.nextInt(3) == 0) {
                written.addFirst(new Operand.FromInstruction(random.nextInt(last.instruction()), 0));
            }
            cases.add(step.finish(written, 2));
        }
        return cases;
    }

    /** Reductions of what a view or a chain gives. */
    public static List<OpCase> prologues(DType dtype, int count, long seed) {
        Random random = new Random(seed);
        List<OpCase> cases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FusedCases step = new FusedCases(random, dtype);
            long[] extents = step.extents(1 + random.nextInt(4));
            Operand taken = step.read(extents);
            int length = random.nextInt(4);
            if (length > 0) {
                taken = step.chain(taken, extents, length);
            }
            List<Integer> axes = new ArrayList<>();
            for (int axis = 0; axis < extents.length; axis++) {
                if (random.nextBoolean()) {
                    axes.add(axis);
                }
            }
            Reduce.Kind kind = REDUCED.get(random.nextInt(REDUCED.size()));
            Reduce reduce = new Reduce(kind, axes.isEmpty() ? List.of(extents.length - 1) : axes);
            cases.add(step.finish(List.of(step.add(reduce, taken)), 10));
        }
        return cases;
    }

    /** Products and convolutions, each with a chain on its result. */
    public static List<OpCase> epilogues(DType dtype, int count, long seed) {
        Random random = new Random(seed);
        List<OpCase> cases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FusedCases step = new FusedCases(random, dtype);
            Operand.FromInstruction product = i % 2 == 0 ? step.product() : step.convolution(i / 2 % 3);
            long[] extents = step.type(product).shape().toArray();
            cases.add(step.finish(List.of(step.chain(product, extents, 1 + random.nextInt(4))), 10));
        }
        return cases;
    }

    /** Reductions, products and gradients of normalization that store several results of a chain before or after. */
    public static List<OpCase> several(DType dtype, int count, long seed) {
        Random random = new Random(seed);
        List<OpCase> cases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FusedCases step = new FusedCases(random, dtype);
            cases.add(
                    switch (i % 3) {
                        case 0 -> step.summed();
                        case 1 -> step.followed(i / 3 % 2 == 0 ? step.product() : step.convolution(i / 6 % 3));
                        default -> step.followed(step.normalization());
                    });
        }
        return cases;
    }

    /** Sums over some axes of what a chain gives, which is stored, and perhaps a result on the way to it. */
    private OpCase summed() {
        long[] extents = extents(1 + random.nextInt(3));
        Operand.FromInstruction last = chain(read(extents), extents, 1 + random.nextInt(3));
        List<Operand.FromInstruction> written = new ArrayList<>(List.of(last));
        if (last.instruction() > 0 && random.nextBoolean()) {
            written.addFirst(new Operand.FromInstruction(random.nextInt(last.instruction()), 0));
        }
        written.add(add(new Reduce(Reduce.Kind.SUM, List.of(random.nextInt(extents.length))), last));
        return finish(written, 10);
    }

    /** An operation's other results, a chain on its first, and two results of that one. */
    private OpCase followed(Operand.FromInstruction made) {
        List<Operand.FromInstruction> written = new ArrayList<>();
        for (int r = 1; r < body.get(made.instruction()).types().size(); r++) {
            written.add(new Operand.FromInstruction(made.instruction(), r));
        }
        long[] extents = type(made).shape().toArray();
        Operand.FromInstruction first = random.nextBoolean() ? made : chain(made, extents, 1);
        written.add(first);
        written.add(chain(first, extents, 1 + random.nextInt(2)));
        return finish(written, 30);
    }

    /** Gradients of batch normalization behind a chain, every other one behind the mask of a ReLU before it. */
    public static List<OpCase> normalizations(DType dtype, int count, long seed) {
        Random random = new Random(seed);
        List<OpCase> cases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FusedCases step = new FusedCases(random, dtype);
            cases.add(step.behind(i % 2 == 0, i / 2 % 2 == 0));
        }
        return cases;
    }

    private OpCase behind(boolean masked, boolean channelsLast) {
        long channels = 4 + 4L * random.nextInt(6);
        long[] extents = channelsLast
                ? new long[] {3, 5, 1 + random.nextInt(6), channels}
                : new long[] {3, channels, 5, 1 + random.nextInt(14)};
        List<Integer> axes = channelsLast ? List.of(0, 1, 2) : List.of(0, 2, 3);
        long[] ones = channelsLast ? new long[] {1, 1, 1, channels} : new long[] {1, channels, 1, 1};
        Tensor x = OpCases.random(random, dtype, extents);
        List<Operand> operands = new ArrayList<>(List.of(dense(extents)));
        List<Tensor> others = new ArrayList<>(List.of(x));
        others.addAll(REFERENCE.apply(new NormStatistics(axes, true), List.of(x), SingleStep.NUMBER));
        DType parameters = random.nextBoolean() ? dtype : dtype.accumulator();
        others.add(OpCases.random(random, parameters, ones));
        others.add(OpCases.random(random, parameters, ones));
        for (Tensor other : others) {
            sources.add(StepSample.Source.dense(other));
            operands.add(new Operand.FromMemory(sources.size() - 1));
        }
        Operand dy = operands.getFirst();
        if (masked) {
            Normalize normalize = new Normalize(axes, 1e-5, true, true, true);
            Operand y = add(
                    new Unary(Unary.Kind.RELU),
                    add(normalize, operands.subList(1, 6).toArray(Operand[]::new)));
            Operand zero = add(new Constant(0, type(y)));
            dy = add(new Select(), add(new Compare(Compare.Kind.GT), y, zero), dy, zero);
        } else {
            dy = chain(dy, extents, 1 + random.nextInt(3));
        }
        operands.set(0, dy);
        Operand.FromInstruction made = add(
                new NormalizeGradient(axes, 1e-5, true, true, true),
                operands.subList(0, 5).toArray(Operand[]::new));
        return finish(
                IntStream.range(0, 3)
                        .mapToObj(result -> new Operand.FromInstruction(made.instruction(), result))
                        .toList(),
                30);
    }

    /** Signs of what a chain gives, stored as bits beside it; then masks by bits, alone and behind products. */
    public static List<OpCase> signs(DType dtype, int count, long seed) {
        Random random = new Random(seed);
        List<OpCase> cases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FusedCases step = new FusedCases(random, dtype);
            long[] extents = {1 + random.nextInt(40), 1 + random.nextInt(5), 8L * (1 + random.nextInt(9))};
            if (i % 3 == 0) {
                Operand.FromInstruction last = step.chain(step.read(extents), extents, 1 + random.nextInt(3));
                Operand zero = step.add(new Constant(0, step.type(last)));
                Operand.FromInstruction bits =
                        step.add(new Cast(DType.BIT), step.add(new Compare(Compare.Kind.GT), last, zero));
                cases.add(step.finish(List.of(last, bits), 2));
            } else {
                Operand value = i % 3 == 1 ? step.read(extents) : step.multipleOfEight();
                long[] dims = step.type(value).shape().toArray();
                step.sources.add(StepSample.Source.dense(bits(random, dims)));
                Operand there = step.add(new Cast(DType.BOOL), new Operand.FromMemory(step.sources.size() - 1));
                Operand zero = step.add(new Constant(0, step.type(value)));
                cases.add(step.finish(List.of(step.add(new Select(), there, value, zero)), 10));
            }
        }
        return cases;
    }

    private static Tensor bits(Random random, long... extents) {
        Tensor tensor = Tensor.zeros(TensorType.of(DType.BIT, extents));
        Arrays.setAll(tensor.data(), i -> random.nextInt(2));
        return tensor;
    }

    private Operand multipleOfEight() {
        long n = 8L * (1 + random.nextInt(20));
        long k = extent();
        return add(new MatMul(false, true), dense(1, 1 + random.nextInt(70), k), dense(1, n, k));
    }

    private Operand.FromInstruction normalization() {
        long rows = extent();
        long columns = 2 + extent();
        Tensor x = OpCases.random(random, dtype, rows, columns);
        List<Integer> axes = List.of(1);
        List<Tensor> statistics = REFERENCE.apply(new NormStatistics(axes, true), List.of(x), SingleStep.NUMBER);
        List<Operand> operands = new ArrayList<>(List.of(dense(rows, columns)));
        List<Tensor> others = new ArrayList<>(List.of(x));
        others.addAll(statistics);
        others.add(OpCases.random(random, random.nextBoolean() ? dtype : dtype.accumulator(), 1, columns));
        for (Tensor other : others) {
            sources.add(StepSample.Source.dense(other));
            operands.add(new Operand.FromMemory(sources.size() - 1));
        }
        return add(new NormalizeGradient(axes, 1e-5, true, true, true), operands.toArray(Operand[]::new));
    }

    private OpCase finish(List<Operand.FromInstruction> written, double scale) {
        return new OpCase(new StepSample(body, sources, written), dtype, scale);
    }

    private Operand.FromInstruction product() {
        MatMul op = new MatMul(random.nextBoolean(), random.nextBoolean());
        long m = extent();
        long n = extent();
        long k = extent();
        long batch = 1 + random.nextInt(3);
        long[] a = op.transposeA() ? new long[] {batch, k, m} : new long[] {batch, m, k};
        long[] b = op.transposeB() ? new long[] {batch, n, k} : new long[] {batch, k, n};
        return add(op, dense(a), dense(b));
    }

    private Operand.FromInstruction convolution(int direction) {
        int groups = 1 + random.nextInt(2);
        int stride = 1 + random.nextInt(2);
        int padding = random.nextInt(2);
        ConvGeometry geometry = new ConvGeometry(stride, 1, padding, 1, 1, 1 + random.nextInt(2), groups);
        long[] x = {2, (long) groups * (1 + random.nextInt(9)), 7 + random.nextInt(6), 9 + random.nextInt(9)};
        long[] w = {(long) groups * (1 + random.nextInt(9)), x[1] / groups, 1 + random.nextInt(3), 3};
        TensorType y = new Conv2d(geometry)
                .infer(List.of(TensorType.of(dtype, x), TensorType.of(dtype, w)))
                .getFirst();
        long[] dy = y.shape().toArray();
        TensorType xType = TensorType.of(dtype, x);
        TensorType wType = TensorType.of(dtype, w);
        return switch (direction) {
            case 0 -> add(new Conv2d(geometry), dense(x), dense(w));
            case 1 -> add(new ConvTranspose2d(geometry, xType.dim(2), xType.dim(3)), dense(dy), dense(w));
            default -> add(new Conv2dWeightGradient(geometry, wType.dim(2), wType.dim(3)), dense(x), dense(dy));
        };
    }

    private long extent() {
        return EXTENTS[random.nextInt(EXTENTS.length)];
    }

    private long[] extents(int rank) {
        long[] extents = new long[rank];
        do {
            Arrays.setAll(extents, axis -> extent());
        } while (Arrays.stream(extents).reduce(1, (a, b) -> a * b) > MOST_ELEMENTS);
        return extents;
    }

    private Operand dense(long... extents) {
        sources.add(StepSample.Source.dense(OpCases.random(random, dtype, extents)));
        return new Operand.FromMemory(sources.size() - 1);
    }

    private Operand read(long... extents) {
        return read(dtype, extents);
    }

    private Operand read(DType type, long... extents) {
        sources.add(views.of(type, extents));
        return new Operand.FromMemory(sources.size() - 1);
    }

    private TensorType type(Operand operand) {
        return switch (operand) {
            case Operand.FromMemory memory ->
                sources.get(memory.index()).tensor().type();
            case Operand.FromInstruction local ->
                body.get(local.instruction()).types().get(local.result());
            case Operand.FromSeed _ -> TensorType.SEED;
        };
    }

    private Operand.FromInstruction add(Op op, Operand... operands) {
        List<TensorType> types = Arrays.stream(operands).map(this::type).toList();
        body.add(new Instruction(op, List.of(operands), op.infer(types)));
        return new Operand.FromInstruction(body.size() - 1, 0);
    }

    /** Continuous functions with slopes near 1, so that errors stay near the rounding of single operations. */
    private Operand.FromInstruction chain(Operand from, long[] extents, int length) {
        Operand value = from;
        Operand.FromInstruction last = null;
        for (int i = 0; i < length; i++) {
            last = link(value, extents);
            value = last;
        }
        return last;
    }

    private Operand.FromInstruction link(Operand value, long[] extents) {
        List<Unary.Kind> unary = List.of(
                Unary.Kind.NEG,
                Unary.Kind.ABS,
                Unary.Kind.RELU,
                Unary.Kind.TANH,
                Unary.Kind.SIGMOID,
                Unary.Kind.GELU,
                Unary.Kind.GELU_TANH,
                Unary.Kind.SILU,
                Unary.Kind.SOFTPLUS);
        List<Binary.Kind> binary =
                List.of(Binary.Kind.ADD, Binary.Kind.SUB, Binary.Kind.MUL, Binary.Kind.MAX, Binary.Kind.MIN);
        return switch (random.nextInt(9)) {
            case 0, 1 -> add(new Unary(unary.get(random.nextInt(unary.size()))), value);
            case 2, 3, 4 -> add(new Binary(binary.get(random.nextInt(binary.size()))), value, read(extents));
            case 5 -> add(new Clamp(-1.5, 1.25), add(new LeakyRelu(0.25), value));
            case 6 -> {
                int ordinal = random.nextInt(1000);
                yield add(new Dropout(0.25, ordinal), value, new Operand.FromSeed(ordinal));
            }
            case 7 -> {
                Operand condition = random.nextBoolean()
                        ? read(DType.BOOL, extents)
                        : add(
                                new Compare(Compare.Kind.values()[random.nextInt(Compare.Kind.values().length)]),
                                read(extents),
                                read(extents));
                yield add(new Select(), condition, value, read(extents));
            }
            default -> {
                Operand slope = add(new UnaryGradient(UnaryGradient.Kind.GELU), read(extents), value);
                Operand wide = add(new Cast(DType.F32), slope);
                yield add(new Cast(dtype), add(new Binary(Binary.Kind.ADD), wide, read(DType.F32, extents)));
            }
        };
    }
}
