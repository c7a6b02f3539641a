package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What an optimizer makes of a parameter and of what it keeps of it, element by element and in their place: {@code
 * parameter}, {@code gradient}, states as large as the parameter, and what else the program reads: scalars, and tensors
 * that repeat to the parameter's shape; to the new parameter and states. The gradient may be of another floating dtype
 * than the parameter.
 *
 * @param rule name of the optimizer, for people
 * @param states how many there are, operands from 2 on
 */
public record ElementwiseUpdate(String rule, int states, UpdateProgram program) implements AfterLoss, Update {
    /** Operand that is the first state. */
    public static final int STATES = 2;

    public ElementwiseUpdate {
        Expect.argument(states >= 0, "there are no %s states", states);
        Expect.argument(
                program.results().size() == states + 1,
                "a parameter and %d states have other results than %s",
                states,
                program.results());
    }

    /** An update whose program is written out, as in {@code "[mul g x2, sub p t0]"} with the results {@code "[t1]"}. */
    public static ElementwiseUpdate of(String rule, int states, String steps, String results) {
        Attributes named = Attributes.NONE.with("rule", rule).with("states", states);
        return parse("update", named.with("steps", steps).with("results", results));
    }

    public static ElementwiseUpdate parse(String mnemonic, Attributes attributes) {
        return new ElementwiseUpdate(
                attributes.word("rule"), attributes.integer("states"), UpdateProgram.parse(attributes));
    }

    /** The optimizer's update in one that may have a condition, and be of some rows alone. */
    public static Optional<ElementwiseUpdate> in(Update update) {
        return switch (update) {
            case ElementwiseUpdate whole -> Optional.of(whole);
            case UpdateRows rows -> Optional.of(rows.update());
            case ConditionalUpdate conditional -> in(conditional.update());
            case Assign _, MicroBatchUpdate _, RunningStatistics _ -> Optional.empty();
        };
    }

    @Override
    public String mnemonic() {
        return "update";
    }

    @Override
    public Attributes attributes() {
        return program.onto(Attributes.NONE.with("rule", rule).with("states", states));
    }

    /** Operand that is the first beside parameter, gradient and states. */
    public int others() {
        return STATES + states;
    }

    /** Whether all that it reads beside parameter, gradient and states are scalars, so that rows of these suffice. */
    public boolean isByElement(List<TensorType> operands) {
        return operands.stream().skip(others()).allMatch(other -> other.rank() == 0);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        int read = program.steps().stream()
                .flatMap(step -> step.in().stream())
                .mapToInt(term -> term instanceof UpdateProgram.Term.Operand(int index) ? index + 1 : 0)
                .max()
                .orElse(0);
        ShapeException.require(
                operands.size() >= Math.max(others(), read),
                "%s takes %d operands, got %d",
                mnemonic(),
                Math.max(others(), read),
                operands.size());
        TensorType parameter = Expect.updated(this, operands);
        List<TensorType> results = new ArrayList<>(List.of(parameter));
        for (TensorType state : operands.subList(STATES, others())) {
            Expect.type(this, "a state", state, parameter);
            results.add(parameter);
        }
        for (TensorType other : operands.subList(others(), operands.size())) {
            if (other.rank() > 0) {
                Expect.dtype(this, "a tensor", other, parameter.dtype());
                Expect.repeatable(this, "a tensor", other, parameter.shape());
            } else {
                boolean suits = other.dtype() == DType.F32 || other.dtype() == DType.F64;
                ShapeException.require(suits, "%s wants scalars of f32 or f64, got %s", mnemonic(), other);
            }
        }
        return List.copyOf(results);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return program.steps().size() * results.getFirst().elements();
    }

    @Override
    public List<Write> writes() {
        List<Write> writes = new ArrayList<>(List.of(new Write(0, 0)));
        for (int state = 0; state < states; state++) {
            writes.add(new Write(STATES + state, 1 + state));
        }
        return List.copyOf(writes);
    }
}
