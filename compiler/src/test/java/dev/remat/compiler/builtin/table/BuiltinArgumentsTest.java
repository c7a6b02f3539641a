package dev.remat.compiler.builtin.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Signature;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every argument of every builtin, given what a user might write there by mistake. */
@Tag("slow")
class BuiltinArgumentsTest {
    private static final List<String> TENSORS =
            List.of("scalar", "vector", "matrix", "sequence", "image", "ids", "labels", "mask", "whole", "open");

    private static final List<String> VALUES = List.of(
            "none",
            "true",
            "0",
            "-1",
            "-3",
            "5",
            "2147483648",
            "9223372036854775807",
            "(0 - 9223372036854775807)",
            "0.0",
            "-0.5",
            "0.5",
            "1e308",
            "1e308 * 10.0",
            "1e308 * 10.0 - 1e308 * 10.0",
            "\"\"",
            "\"none\"",
            "[]",
            "()",
            "[0, 0]",
            "[1, -1]",
            "[[1]]",
            "[none]",
            "[0.5, 1]",
            "[matrix, matrix]",
            "[matrix, ids]",
            "[scalar]",
            "relu",
            "zeros",
            "Layer",
            "linear(_, 2)",
            "f32",
            "i64",
            "bool",
            "S",
            "S - 2",
            "normal(std = 0.5)",
            "_");

    /** What stands for the tensors that are not changed. */
    private static final List<String> USUAL = List.of("scalar", "matrix", "image");

    private static final String DECLARATIONS = """
        remat 1
        layer Layer(x) { return x }
        model M {
        symbol S
        input scalar: f32[]
        input vector: f32[4]
        input matrix: f32[3, 4]
        input sequence: f32[2, 4, 6]
        input image: f32[2, 4, 6, 6]
        input ids: i32[3, 4]
        input labels: i64[3]
        input mask: bool[3, 4]
        input whole: i32[2, 4, 6]
        input open: f32[S, 4]
        """;

    static Stream<Builtin> builtins() {
        return Builtins.byFamily().values().stream().flatMap(List::stream);
    }

    @ParameterizedTest
    @MethodSource("builtins")
    void anyArgumentIsTakenOrRefusedInWords(Builtin builtin) {
        List<Signature.Slot> slots = builtin.signature().slots();
        List<String> crashes = new ArrayList<>();
        int next = 0;
        for (Signature.Slot changed : slots) {
            for (String value : Stream.concat(VALUES.stream(), TENSORS.stream()).toList()) {
                String call = call(builtin, slots, changed, value, USUAL.get(next++ % USUAL.size()));
                try {
                    findings(call);
                } catch (RuntimeException | StackOverflowError e) {
                    crashes.add(call + ": " + e);
                }
            }
        }
        assertThat(crashes).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("builtins")
    void noneStandsOnlyForWhatIsNoneByDefault(Builtin builtin) {
        List<Signature.Slot> slots = builtin.signature().slots();
        for (Signature.Slot slot : slots) {
            boolean optional = (", " + builtin.signature().text())
                    .contains(", " + slot.name() + ": " + slot.kind().label() + " = none");
            String call = call(builtin, slots, slot, "none", "matrix");
            boolean refused = findings(call).stream()
                    .anyMatch(finding -> finding.code().equals("E0302")
                            && finding.message().startsWith("'" + slot.name() + "' of '" + builtin.name() + "' is ")
                            && finding.message().endsWith(", not none"));
            assertThat(refused).as(call).isEqualTo(!optional);
        }
    }

    /** The arguments that must be given, and {@code value} for the one that is changed. */
    private static String call(
            Builtin builtin, List<Signature.Slot> slots, Signature.Slot changed, String value, String tensor) {
        return slots.stream()
                .filter(slot -> slot.equals(changed) || slot.fallback().isEmpty())
                .map(slot -> slot.name() + " = " + (slot.equals(changed) ? value : usual(slot, tensor)))
                .collect(Collectors.joining(", ", builtin.name() + "(", ")"));
    }

    private static String usual(Signature.Slot slot, String tensor) {
        boolean integers =
                List.of("ids", "indices", "index", "targets", "labels").contains(slot.name());
        return switch (slot.kind()) {
            case TENSOR -> integers ? "ids" : slot.name().equals("condition") ? "mask" : tensor;
            case TENSORS -> "[" + tensor + ", " + tensor + "]";
            case OPERAND, ANY -> tensor;
            case INT, PAIR, PADDING, INTS -> "2";
            case FLOAT -> "0.5";
            case BOOL -> "true";
            case STRING -> "\"none\"";
            case DTYPE -> "f32";
            case INIT -> "zeros";
            case LIST -> "[1, 2]";
        };
    }

    private static List<Diagnostic> findings(String call) {
        String text = DECLARATIONS + "y = " + call + """

            param w: f32[2, 2] = zeros
            loss = mean(w)
            output y
            }
            train { minimize loss; optimizer sgd(lr = 0.1) }
            """;
        try {
            TestModels.compile(withNumbers(text), CompileOptions.defaults());
            return List.of();
        } catch (ModelException e) {
            boolean isNoTensor = e.diagnostics().getFirst().message().startsWith("an output is a tensor");
            return isNoTensor ? List.of() : e.diagnostics();
        }
    }

    /** Bound late where that is possible, as 'fit' does. */
    private static ElaboratedModel withNumbers(String text) {
        return model(text, Bindings.NONE).bind("S", 3).orElseGet(() -> model(text, Bindings.NONE.with("S", "3")));
    }

    private static ElaboratedModel model(String text, Bindings bindings) {
        return Elaborator.elaborate(ModelParser.parse(new Source("m.model", text), IncludeResolver.NONE), bindings);
    }
}
