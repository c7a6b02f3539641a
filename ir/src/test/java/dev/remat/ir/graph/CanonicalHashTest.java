package dev.remat.ir.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.op.Unary;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CanonicalHashTest {
    private static final TensorType TYPE = TensorType.of(DType.F32, 4);

    private final GraphBuilder builder = new GraphBuilder("G");
    private final ValueId x = input("x");
    private final ValueId y = input("y");

    private ValueId input(String name) {
        return builder.input(name, TYPE, InputKind.DATA, Initializer.ZEROS, Location.NONE);
    }

    private String hash(ValueId output) {
        builder.output("out", output);
        return CanonicalHash.of(builder.build());
    }

    private static String sumOfExpAndTanh() {
        CanonicalHashTest graph = new CanonicalHashTest();
        ValueId exp = graph.builder.unary(Unary.Kind.EXP, graph.x);
        return graph.hash(graph.builder.add(exp, graph.builder.unary(Unary.Kind.TANH, graph.y)));
    }

    @Test
    void ignoresOrderNamesAndLocations() {
        builder.at(new Origin(new Location("a.model", 1, 2), "layer", Optional.empty()));
        ValueId tanh = builder.unary(Unary.Kind.TANH, y);
        ValueId exp = builder.unary(Unary.Kind.EXP, x);
        builder.rename(exp, "e");
        assertThat(hash(builder.add(exp, tanh))).isEqualTo(sumOfExpAndTanh());
    }

    @Test
    void tellsOperandsApart() {
        ValueId tanh = builder.unary(Unary.Kind.TANH, x);
        assertThat(hash(builder.add(builder.unary(Unary.Kind.EXP, y), tanh))).isNotEqualTo(sumOfExpAndTanh());
    }

    @Test
    void tellsTheOrderOfOperands() {
        ValueId tanh = builder.unary(Unary.Kind.TANH, y);
        assertThat(hash(builder.add(tanh, builder.unary(Unary.Kind.EXP, x)))).isNotEqualTo(sumOfExpAndTanh());
    }

    @Test
    void tellsOperationsAndRolesApart() {
        ValueId exp = builder.unary(Unary.Kind.EXP, x);
        ValueId other = builder.unary(Unary.Kind.SIGMOID, y);
        assertThat(hash(builder.add(exp, other))).isNotEqualTo(sumOfExpAndTanh());
        CanonicalHashTest backward = new CanonicalHashTest();
        backward.builder.as(Role.BACKWARD);
        ValueId left = backward.builder.unary(Unary.Kind.EXP, backward.x);
        ValueId right = backward.builder.unary(Unary.Kind.TANH, backward.y);
        assertThat(backward.hash(backward.builder.add(left, right))).isNotEqualTo(sumOfExpAndTanh());
    }

    @Test
    void countsNodesThatNothingReads() {
        ValueId exp = builder.unary(Unary.Kind.EXP, x);
        ValueId sum = builder.add(exp, builder.unary(Unary.Kind.TANH, y));
        builder.unary(Unary.Kind.EXP, x);
        assertThat(hash(sum)).isNotEqualTo(sumOfExpAndTanh());
    }

    @Test
    void tellsOutputsApart() {
        ValueId sum = builder.add(builder.unary(Unary.Kind.EXP, x), builder.unary(Unary.Kind.TANH, y));
        builder.output("more", sum);
        assertThat(hash(sum)).isNotEqualTo(sumOfExpAndTanh());
    }
}
