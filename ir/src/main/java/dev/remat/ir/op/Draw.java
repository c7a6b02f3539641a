package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * {@code seed → (y, next seed)}: a tensor of independent random numbers. An element's word is that of {@link Dropout}.
 *
 * <ul>
 *   <li>Uniform numbers from 0 to below 1 are the word's upper bits, as many as the dtype has digits and at most 24, as
 *       a fraction.
 *   <li>Normal numbers of mean 0 and variance 1 come in pairs (Box and Muller, 1958): elements 2n and 2n + 1 are
 *       {@code √(−2·ln((a + ½)/2³²))} times cosine and sine of {@code 2π·b/2³²}, where a and b are their words. They
 *       are computed in f64 on the CPU and in the accumulator of the dtype in CUDA, so that the last bits differ.
 *   <li>Integers from 0 to below {@code bound} are the upper half of the product of word and bound (Lemire, 2019,
 *       without rejection): no two probabilities differ by more than 2⁻³².
 * </ul>
 *
 * @param bound of integers, from 1 to 2³¹; 0 for other numbers
 * @param drawnRows which elements of a larger tensor these are; words and pairs come from their numbers in it
 */
public record Draw(Kind kind, long bound, int ordinal, TensorType type, Optional<DrawnRows> drawnRows)
        implements Elementwise, RandomOp {
    /** How the numbers are distributed. */
    public enum Kind {
        UNIFORM,
        NORMAL,
        INTEGER
    }

    static final List<Op> EXAMPLES = List.of(
            new Draw(Kind.UNIFORM, 0, 0, TensorType.of(DType.F32, 3, 7)),
            new Draw(Kind.NORMAL, 0, 1, TensorType.of(DType.F32, 5, 9)),
            new Draw(Kind.NORMAL, 0, 0, TensorType.of(DType.F32, 4, 8)),
            new Draw(Kind.UNIFORM, 0, 2, TensorType.of(DType.F32, 16)),
            new Draw(Kind.INTEGER, 1000, 3, TensorType.of(DType.I32, 33)),
            new Draw(Kind.UNIFORM, 0, 0, TensorType.of(DType.F32, 4, 12)).withDrawnRows(new DrawnRows(Dim.of(12), 2)),
            new Draw(Kind.NORMAL, 0, 1, TensorType.of(DType.F32, 5, 9)).withDrawnRows(new DrawnRows(Dim.of(3), 4)),
            new Draw(Kind.NORMAL, 0, 0, TensorType.of(DType.F32, 4, 8)).withDrawnRows(new DrawnRows(Dim.of(4), 3)),
            new Draw(Kind.INTEGER, 1000, 3, TensorType.of(DType.I32, 33)).withDrawnRows(new DrawnRows(Dim.of(11), 2)),
            new Draw(Kind.UNIFORM, 0, 0, TensorType.of(DType.F32, 4, 12))
                    .withDrawnRows(new DrawnRows(Dim.of(12), 2).withPiece(0)),
            new Draw(Kind.NORMAL, 0, 1, TensorType.of(DType.F32, 5, 9))
                    .withDrawnRows(new DrawnRows(Dim.of(3), 4).withPiece(2)));

    private static final String PREFIX = "draw_";

    public Draw {
        Expect.argument(ordinal >= 0, "ordinal %s", ordinal);
        boolean bounded = bound >= 1 && bound <= 1L << 31;
        Expect.argument(kind == Kind.INTEGER ? bounded : bound == 0, "%s draws below %s", kind, bound);
        DType dtype = type.dtype();
        Expect.argument(kind == Kind.INTEGER ? dtype.isInteger() : dtype.isFloat(), "%s draws of %s", kind, type);
    }

    /** Of a tensor that is whole. */
    public Draw(Kind kind, long bound, int ordinal, TensorType type) {
        this(kind, bound, ordinal, type, Optional.empty());
    }

    public static Draw parse(String mnemonic, Attributes attributes) {
        Kind kind = Kind.valueOf(mnemonic.substring(PREFIX.length()).toUpperCase(Locale.ROOT));
        DType dtype = DType.ofLabel(attributes.word("dtype"));
        return new Draw(
                kind,
                kind == Kind.INTEGER ? attributes.number("bound") : 0,
                attributes.integer("ordinal"),
                new TensorType(dtype, attributes.shape("shape")),
                DrawnRows.parse(attributes));
    }

    @Override
    public String mnemonic() {
        return PREFIX + kind.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public Attributes attributes() {
        Attributes bounded = kind == Kind.INTEGER ? Attributes.NONE.with("bound", bound) : Attributes.NONE;
        Attributes whole = bounded.with("ordinal", ordinal)
                .with("dtype", type.dtype().label())
                .with("shape", type.shape());
        return DrawnRows.write(drawnRows, whole);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        Expect.seed(this, operands.getFirst());
        DrawnRows.check(this, type);
        return List.of(type, TensorType.SEED);
    }

    /** A row draws for itself: the whole batch has one run of rows. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        return List.of(operands.alike(type).unlike(), new BatchRole.Free());
    }

    /** How many bits of a word a uniform number of the dtype has. */
    public static int uniformBits(DType dtype) {
        return switch (dtype) {
            case F32, F64 -> 24;
            case F16 -> 11;
            case BF16 -> 8;
            case I32, I64, BOOL, BIT, SEED -> throw new IllegalArgumentException("no fractions in " + dtype);
        };
    }

    @Override
    public Op retype(UnaryOperator<DType> dtypes) {
        return new Draw(kind, bound, ordinal, type.with(dtypes.apply(type.dtype())), drawnRows);
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        Shape bound = new Shape(type.shape().dims().stream().map(dims).toList());
        return new Draw(kind, this.bound, ordinal, type.with(bound), DrawnRows.bind(drawnRows, dims));
    }

    @Override
    public Op atPiece(int k) {
        return new Draw(kind, bound, ordinal, type, DrawnRows.atPiece(drawnRows, k));
    }

    @Override
    public RandomOp withDrawnRows(DrawnRows rows) {
        return new Draw(kind, bound, ordinal, type, Optional.of(rows));
    }
}
