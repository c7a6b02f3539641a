package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * An optimizer's update of some rows of a parameter: the operands of {@code update} with parameter and gradient whole
 * and with states of these rows alone; to the whole parameter, of which the other rows stay as they are, and the
 * states. Rows are of axis 0. As every row is updated by itself, updates of all rows one after the other give the bits
 * of {@code update}, and only the states of one of them need be in memory.
 *
 * @param update one that keeps states as large as its parameter and goes element by element
 * @param from the first row
 * @param to one past the last row
 */
public record UpdateRows(ElementwiseUpdate update, long from, long to) implements AfterLoss, Update {
    private static final String SUFFIX = "_rows";
    /** Operands that are whole: the parameter and its gradient. */
    private static final int WHOLE = 2;

    public UpdateRows {
        Expect.argument(suits(update), "%s cannot go row by row", update.mnemonic());
        Expect.argument(0 <= from && from < to, "there are no rows from %s to %s", from, to);
    }

    /** Whether an update has states, of which rows can be apart. */
    public static boolean suits(ElementwiseUpdate update) {
        return update.states() > 0;
    }

    /** Whether an operand is whole, of which others have rows alone or are scalars. */
    public static boolean isWhole(int operand) {
        return operand < WHOLE;
    }

    public static UpdateRows parse(String mnemonic, Attributes attributes) {
        Op op = Ops.parse(
                mnemonic.substring(0, mnemonic.length() - SUFFIX.length()),
                attributes.without("from").without("to"));
        return new UpdateRows((ElementwiseUpdate) op, attributes.number("from"), attributes.number("to"));
    }

    @Override
    public String mnemonic() {
        return update.mnemonic() + SUFFIX;
    }

    @Override
    public Attributes attributes() {
        return update.attributes().with("from", from).with("to", to);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        ShapeException.require(operands.size() > WHOLE, "%s takes a parameter, a gradient and more", mnemonic());
        TensorType parameter = operands.getFirst();
        boolean has = parameter.rank() > 0
                && (!parameter.dim(0).isConstant() || parameter.dim(0).value() >= to);
        ShapeException.require(has, "%s wants a parameter of %s rows or more, got %s", mnemonic(), to, parameter);
        Expect.shape(this, "a gradient", operands.get(1), parameter.shape());
        ShapeException.require(
                operands.size() < update.others() || update.isByElement(operands),
                "%s reads scalars beside states, got %s",
                mnemonic(),
                operands);
        List<TensorType> results = new ArrayList<>(update.infer(ofRows(operands)));
        results.set(0, parameter);
        return List.copyOf(results);
    }

    /** The type of these rows of a tensor. */
    public TensorType rows(TensorType whole) {
        List<Dim> dims = new ArrayList<>(whole.shape().dims());
        dims.set(0, Dim.of(to - from));
        return new TensorType(whole.dtype(), new Shape(dims));
    }

    /** Types of what {@code update} would take of operands. */
    private List<TensorType> ofRows(List<TensorType> operands) {
        List<TensorType> types = new ArrayList<>(operands);
        types.subList(0, WHOLE).replaceAll(this::rows);
        return types;
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        List<TensorType> updated = new ArrayList<>(results);
        updated.set(0, rows(results.getFirst()));
        return update.flops(ofRows(operands), updated);
    }

    @Override
    public long bytesPassedOver(List<TensorType> operands) {
        TensorType parameter = operands.get(0);
        TensorType gradient = operands.get(1);
        long ofParameter = parameter.bytes() - rows(parameter).bytes();
        return 2 * ofParameter + gradient.bytes() - rows(gradient).bytes();
    }

    @Override
    public List<Write> writes() {
        return update.writes();
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new UpdateRows((ElementwiseUpdate) update.bind(dims), from, to);
    }

    @Override
    public Op retype(UnaryOperator<DType> dtypes) {
        return new UpdateRows((ElementwiseUpdate) update.retype(dtypes), from, to);
    }
}
