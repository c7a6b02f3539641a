package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * An update that happens where a flag holds: the operands of {@code update}, then the flag, a bool scalar; to the
 * results of {@code update}. Where the flag is false everything stays as it is.
 *
 * @param update an optimizer's, of all rows or some, one of an average, or an assignment
 */
public record ConditionalUpdate(Update update) implements AfterLoss, Update {
    private static final String SUFFIX = "_if";

    public ConditionalUpdate {
        boolean suits = switch (update) {
            case Assign _, ElementwiseUpdate _, UpdateRows _ -> true;
            case ConditionalUpdate _, MicroBatchUpdate _, RunningStatistics _ -> false;
        };
        Expect.argument(suits, "%s cannot be conditional", update.mnemonic());
    }

    public static ConditionalUpdate parse(String mnemonic, Attributes attributes) {
        Op op = Ops.parse(mnemonic.substring(0, mnemonic.length() - SUFFIX.length()), attributes);
        return new ConditionalUpdate((Update) op);
    }

    /** Operand that is the flag. */
    public static int flagIndex(List<?> operands) {
        return operands.size() - 1;
    }

    @Override
    public String mnemonic() {
        return update.mnemonic() + SUFFIX;
    }

    @Override
    public Attributes attributes() {
        return update.attributes();
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        ShapeException.require(!operands.isEmpty(), "%s takes a flag", mnemonic());
        Expect.type(this, "a flag", operands.getLast(), TensorType.scalar(DType.BOOL));
        return update.infer(withoutFlag(operands));
    }

    /** The operands of the update itself. */
    public static <T> List<T> withoutFlag(List<T> operands) {
        return operands.subList(0, flagIndex(operands));
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return update.flops(withoutFlag(operands), results);
    }

    @Override
    public long bytesPassedOver(List<TensorType> operands) {
        return update.bytesPassedOver(withoutFlag(operands));
    }

    @Override
    public List<Write> writes() {
        return update.writes();
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new ConditionalUpdate((Update) update.bind(dims));
    }

    @Override
    public Op retype(UnaryOperator<DType> dtypes) {
        return new ConditionalUpdate((Update) update.retype(dtypes));
    }
}
