package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.signal.FourierTransform;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/** All operators of ONNX's own domain by name, and those of others that are known as {@code domain::name}. */
public final class Operators {
    private static final SequencedMap<String, Operator> BY_NAME = byName();

    private Operators() {}

    private static SequencedMap<String, Operator> byName() {
        SequencedMap<String, Operator> byName = new LinkedHashMap<>();
        Stream.of(
                        ElementwiseOperators.table(),
                        ArithmeticOperators.table(),
                        ReductionOperators.table(),
                        ShapeOperators.table(),
                        PartOperators.table(),
                        IndexOperators.table(),
                        ProductOperators.table(),
                        WindowOperators.table(),
                        NormalizationOperators.table(),
                        RandomOperators.table(),
                        RecurrentOperators.table(),
                        ResizeOperators.table(),
                        ControlOperators.table(),
                        QuantizeOperators.table(),
                        AttentionOperators.table(),
                        SampleOperators.table(),
                        FourierTransform.table(),
                        ContributedOperators.table(),
                        LossOperators.table(),
                        FoldedOperators.table(),
                        RefusedOperators.table())
                .flatMap(List::stream)
                .forEach(operator -> {
                    if (byName.put(operator.name(), operator) != null) {
                        throw new IllegalStateException("two rows for " + operator.name());
                    }
                });
        return byName;
    }

    /** @param name with its domain, if that is not ONNX's own */
    public static Optional<Operator> find(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    /** In the order of the tables. */
    public static List<Operator> all() {
        return List.copyOf(BY_NAME.values());
    }
}
