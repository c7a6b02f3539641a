package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.read.OnnxTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * Group normalization by an operator of its own, by its formula between two reshapes, and as PyTorch exports it: an
 * instance normalization of groups, whose result gets a factor and a summand for each channel. What it reads is the
 * tensor, the tensor in groups, the two weights, and in the last case what they are applied to.
 */
final class GroupNormPattern implements Pattern {
    private static final String OPERATOR = "GroupNorm";

    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        return switch (last.operator()) {
            case "GroupNormalization" -> last.domain().isEmpty() ? operator(last, wiring) : Optional.empty();
            case "Reshape" -> formula(last, wiring);
            case "Add" -> ofInstances(last, wiring);
            default -> Optional.empty();
        };
    }

    private static Optional<List<OnnxNode>> operator(OnnxNode last, Wiring wiring) {
        List<String> inputs = last.inputs();
        return inputs.size() == 3
                        && isOfChannels(last, wiring)
                        && wiring.ownWeight(inputs.get(1), 1).isPresent()
                        && wiring.ownWeight(inputs.get(2), 1).isPresent()
                ? Optional.of(List.of(Wiring.instead(
                        last,
                        OPERATOR,
                        List.of(inputs.getFirst(), inputs.getFirst(), inputs.get(1), inputs.get(2)),
                        last.attributes().values().toArray(OnnxAttribute[]::new))))
                : Optional.empty();
    }

    /** Whether it has a factor for each channel, as from opset 21 on, not for each group. */
    private static boolean isOfChannels(OnnxNode last, Wiring wiring) {
        OnnxAttribute groups = last.attributes().get("num_groups");
        return groups != null
                && wiring.tensor(last.inputs().get(1))
                        .filter(scale -> !scale.shape().equals(groups.integers()))
                        .isPresent();
    }

    /** A value, and a weight that is applied to it. */
    private record Applied(String to, String weight, OnnxTensor tensor) {}

    private static Optional<List<OnnxNode>> formula(OnnxNode last, Wiring wiring) {
        Optional<Applied> shifted =
                wiring.inner(last.inputs().getFirst(), "Add").flatMap(sum -> applied(sum, wiring));
        Optional<Applied> scaled =
                shifted.flatMap(sum -> wiring.inner(sum.to(), "Mul")).flatMap(product -> applied(product, wiring));
        Optional<OnnxNode> quotient = scaled.flatMap(product -> wiring.inner(product.to(), "Div"));
        if (quotient.isEmpty() || !keepsChannels(last, wiring)) {
            return Optional.empty();
        }
        Optional<OnnxNode> deviation = wiring.inner(quotient.get().inputs().getLast(), "Sqrt")
                .flatMap(root -> wiring.inner(root.inputs().getFirst(), "Add"));
        Optional<String> rows = centred(quotient.get().inputs().getFirst(), wiring);
        Optional<OnnxNode> grouped = rows.flatMap(name -> wiring.maker(name, "Reshape"));
        Optional<String> epsilon = deviation.stream()
                .flatMap(sum -> sum.inputs().stream())
                .filter(each -> wiring.number(each).isPresent())
                .findFirst();
        if (epsilon.isEmpty() || grouped.isEmpty()) {
            return Optional.empty();
        }
        boolean isVariance = Wiring.other(deviation.get(), epsilon.get())
                .flatMap(name -> wiring.inner(name, "ReduceMean"))
                .filter(mean -> isBehindGroups(mean, wiring))
                .flatMap(mean -> wiring.inner(mean.inputs().getFirst(), "Mul"))
                .filter(square ->
                        square.inputs().getFirst().equals(square.inputs().getLast()))
                .flatMap(square -> centred(square.inputs().getFirst(), wiring))
                .equals(rows);
        if (!isVariance) {
            return Optional.empty();
        }
        String normal = last.inputs().getFirst();
        OnnxNode node = Wiring.made(
                last,
                OPERATOR,
                List.of(
                        grouped.get().inputs().getFirst(),
                        rows.get(),
                        scaled.get().weight(),
                        shifted.get().weight()),
                List.of(normal),
                Wiring.real("epsilon", wiring.number(epsilon.get()).get()));
        return Optional.of(List.of(node, last));
    }

    /** x of x − mean(x), over all axes behind the first two. */
    private static Optional<String> centred(String name, Wiring wiring) {
        return wiring.maker(name, "Sub")
                .flatMap(sub -> wiring.maker(sub.inputs().getLast(), "ReduceMean")
                        .filter(mean -> isBehindGroups(mean, wiring))
                        .map(mean -> mean.inputs().getFirst())
                        .filter(sub.inputs().getFirst()::equals));
    }

    private static boolean isBehindGroups(OnnxNode mean, Wiring wiring) {
        Optional<List<Long>> axes = wiring.integers(mean, 1, "axes");
        return Wiring.keeps(mean)
                && axes.filter(all -> all.size() > 1).isPresent()
                && LongStream.range(0, axes.get().size())
                        .allMatch(i -> axes.get().get((int) i) == i + 2);
    }

    /** Whether a reshape takes no extent but the first from what it is given, in groups. */
    private static boolean keepsChannels(OnnxNode reshape, Wiring wiring) {
        return wiring.integers(reshape, 1, "shape")
                .filter(shape -> shape.subList(1, Math.max(1, shape.size())).contains(0L))
                .isEmpty();
    }

    /** A weight [C] that was reshaped to [1, groups, C/groups, 1, …]. */
    private static Optional<Applied> applied(OnnxNode node, Wiring wiring) {
        for (String operand : node.inputs()) {
            Optional<OnnxNode> reshape = wiring.inner(operand, "Reshape");
            Optional<OnnxTensor> weight =
                    reshape.flatMap(each -> wiring.ownWeight(each.inputs().getFirst(), 1));
            boolean isOfGroups = reshape.flatMap(each -> wiring.integers(each, 1, "shape"))
                    .filter(shape -> shape.size() > 3
                            && shape.getFirst() == 1
                            && shape.subList(3, shape.size()).stream().allMatch(extent -> extent == 1))
                    .isPresent();
            if (weight.isPresent() && isOfGroups) {
                return Wiring.other(node, operand)
                        .map(to -> new Applied(to, reshape.get().inputs().getFirst(), weight.get()));
            }
        }
        return Optional.empty();
    }

    private static Optional<List<OnnxNode>> ofInstances(OnnxNode last, Wiring wiring) {
        Optional<Applied> shifted = ofChannels(last, wiring);
        Optional<OnnxNode> product = shifted.flatMap(sum -> wiring.inner(sum.to(), "Mul"));
        Optional<Applied> scaled = product.flatMap(each -> ofChannels(each, wiring));
        Optional<OnnxNode> whole = scaled.flatMap(each -> wiring.inner(each.to(), "Reshape"));
        Optional<OnnxNode> normal =
                whole.flatMap(each -> wiring.inner(each.inputs().getFirst(), "InstanceNormalization"));
        Optional<OnnxNode> grouped =
                normal.flatMap(each -> wiring.maker(each.inputs().getFirst(), "Reshape"));
        boolean isPlain = normal.filter(each -> isAll(each.inputs().get(1), 1, wiring)
                        && isAll(each.inputs().get(2), 0, wiring))
                .isPresent();
        if (grouped.isEmpty() || !isPlain) {
            return Optional.empty();
        }
        List<OnnxAttribute> attributes = new ArrayList<>();
        Optional.ofNullable(normal.get().attributes().get("epsilon")).ifPresent(attributes::add);
        return Optional.of(List.of(Wiring.instead(
                last,
                OPERATOR,
                List.of(
                        grouped.get().inputs().getFirst(),
                        normal.get().inputs().getFirst(),
                        scaled.get().weight(),
                        shifted.get().weight(),
                        scaled.get().to()),
                attributes.toArray(OnnxAttribute[]::new))));
    }

    private static boolean isAll(String name, double number, Wiring wiring) {
        return wiring.constant(name)
                .filter(constant -> constant.isUniform() && constant.real(0) == number)
                .isPresent();
    }

    /** A weight [C, 1, …], or [C] that got these axes. */
    private static Optional<Applied> ofChannels(OnnxNode node, Wiring wiring) {
        for (String operand : node.inputs()) {
            String name = wiring.inner(operand, "Unsqueeze")
                    .map(each -> each.inputs().getFirst())
                    .orElse(operand);
            Optional<OnnxTensor> weight = wiring.tensor(name)
                    .filter(_ -> wiring.isReadOnce(name))
                    .filter(tensor -> !tensor.shape().isEmpty()
                            && tensor.shape().subList(1, tensor.shape().size()).stream()
                                    .allMatch(extent -> extent == 1)
                            && (tensor.shape().size() > 1 || !name.equals(operand)));
            if (weight.isPresent()) {
                return Wiring.other(node, operand).map(to -> new Applied(to, name, weight.get()));
            }
        }
        return Optional.empty();
    }
}
