package dev.remat.compiler.training;

import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.AdafactorUpdate;
import java.util.ArrayList;
import java.util.List;

/**
 * A tensor that an optimizer keeps for a parameter.
 *
 * @param name of its kind, as PyTorch calls it
 */
record OptimizerState(String name, TensorType type, Initializer initial) {
    /** What {@code optimizer} keeps for a parameter of a type. */
    static List<OptimizerState> of(Optimizer optimizer, TensorType type) {
        return switch (optimizer) {
            case Optimizer.Sgd sgd -> sgd.momentum() == 0 ? List.of() : zeros(type, "momentum_buffer");
            case Optimizer.Adam adam -> zeros(type, "exp_avg", "exp_avg_sq");
            case Optimizer.AdamVariant variant ->
                switch (variant.kind()) {
                    case AMSGRAD -> zeros(type, "exp_avg", "exp_avg_sq", "max_exp_avg_sq");
                    case NADAM -> {
                        List<OptimizerState> states = new ArrayList<>(zeros(type, "exp_avg", "exp_avg_sq"));
                        states.add(new OptimizerState(
                                "mu_product", TensorType.scalar(type.dtype()), new Initializer.Constant(1)));
                        yield states;
                    }
                    case RADAM -> zeros(type, "exp_avg", "exp_avg_sq");
                    case ADAMAX -> zeros(type, "exp_avg", "exp_inf");
                };
            case Optimizer.Lion lion -> zeros(type, "exp_avg");
            case Optimizer.Adagrad adagrad ->
                List.of(new OptimizerState("sum", type, new Initializer.Constant(adagrad.initial())));
            case Optimizer.RmsProp rmsProp -> {
                List<OptimizerState> states = new ArrayList<>(zeros(type, "square_avg"));
                if (rmsProp.centered()) {
                    states.addAll(zeros(type, "grad_avg"));
                }
                if (rmsProp.momentum() != 0) {
                    states.addAll(zeros(type, "momentum_buffer"));
                }
                yield states;
            }
            case Optimizer.Adafactor adafactor ->
                type.rank() < 2
                        ? zeros(type, "variance")
                        : List.of(
                                zero(AdafactorUpdate.reduced(type, 1), "row_var"),
                                zero(AdafactorUpdate.reduced(type, 2), "col_var"));
        };
    }

    private static List<OptimizerState> zeros(TensorType type, String... names) {
        return List.of(names).stream().map(name -> zero(type, name)).toList();
    }

    private static OptimizerState zero(TensorType type, String name) {
        return new OptimizerState(name, type, Initializer.ZEROS);
    }
}
