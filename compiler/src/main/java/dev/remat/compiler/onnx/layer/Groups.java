package dev.remat.compiler.onnx.layer;

import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.compiler.onnx.statement.WrittenWeight;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Group normalization that owns its weights, as {@code GroupNormPattern} finds it. */
final class Groups {
    /** From this version on its operator has a factor for each channel, before for each group. */
    private static final int SCALES_OF_CHANNELS = 21;

    private Groups() {}

    static Tensor norm(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        Tensor grouped = use.in(1);
        boolean isOperator = use.has("num_groups");
        Dim groups = isOperator ? Dim.of(use.integer("num_groups", 1)) : grouped.dim(1);
        float epsilon = use.real("epsilon", 1e-5);
        if (!isOfChannels(use, x, grouped, groups, isOperator)) {
            return otherwise(use, grouped, groups, epsilon, isOperator);
        }
        String owner = Owners.name(use, List.of(2, 3));
        own(use, owner, "weight", 2);
        own(use, owner, "bias", 3);
        List<Object> arguments = new ArrayList<>(List.of(x, groups));
        if (epsilon != 1e-5f) {
            arguments.add(Expressions.named("eps", epsilon));
        }
        return Owners.named(out.call("group_norm", x.type(), arguments.toArray()), owner);
    }

    /** Whether what was found is a normalization of groups of whole channels. */
    private static boolean isOfChannels(Use use, Tensor x, Tensor grouped, Dim groups, boolean isOperator) {
        if (x.rank() < 2 || !x.dim(1).isConstant() || !groups.isConstant() || groups.is(0)) {
            return false;
        }
        Dim channels = x.dim(1);
        boolean fits = channels.value() % groups.value() == 0
                && count(use.in(2)).equals(channels)
                && count(use.in(3)).equals(channels);
        if (isOperator) {
            return fits && use.opset() >= SCALES_OF_CHANNELS;
        }
        boolean isGrouped = grouped.dim(0).equals(x.dim(0))
                && Expressions.product(grouped.dims()).equals(Expressions.product(x.dims()));
        return fits && isGrouped && (use.find(4).isEmpty() || use.in(4).dims().equals(x.dims()));
    }

    private static Dim count(Tensor weight) {
        return Expressions.product(weight.dims());
    }

    private static void own(Use use, String owner, String parameter, int index) {
        Tensor weight = use.in(index);
        use.out()
                .body()
                .own(new WrittenWeight(
                        owner + "." + parameter,
                        weight.dtype(),
                        List.of(count(weight).value()),
                        weight.stored(),
                        new WrittenWeight.Layout.Same(),
                        weight.stored().isPresent() ? Optional.empty() : weight.constant()));
    }

    /** The same word for word. */
    private static Tensor otherwise(Use use, Tensor grouped, Dim groups, float epsilon, boolean isOperator) {
        Expressions out = use.out();
        if (use.find(4).isPresent()) {
            Tensor x = use.in(4);
            return out.infix("+", out.infix("*", x, behind(use, 2, x.rank() - 1)), behind(use, 3, x.rank() - 1));
        }
        if (isOperator) {
            throw use.detail("its factors are not one for each channel");
        }
        Tensor normal = out.unary("instance_norm", grouped, Expressions.named("eps", epsilon));
        return out.infix(
                "+", out.infix("*", normal, ofGroups(use, 2, grouped, groups)), ofGroups(use, 3, grouped, groups));
    }

    private static Tensor behind(Use use, int index, int rank) {
        List<Dim> dims = new ArrayList<>(List.of(count(use.in(index))));
        IntStream.range(1, rank).forEach(_ -> dims.add(Dim.ONE));
        return use.out().reshape(use.in(index), dims);
    }

    private static Tensor ofGroups(Use use, int index, Tensor grouped, Dim groups) {
        List<Dim> dims = new ArrayList<>(
                List.of(Dim.ONE, groups, Dim.of(count(use.in(index)).value() / groups.value())));
        IntStream.range(3, grouped.rank()).forEach(_ -> dims.add(Dim.ONE));
        return use.out().reshape(use.in(index), dims);
    }
}
