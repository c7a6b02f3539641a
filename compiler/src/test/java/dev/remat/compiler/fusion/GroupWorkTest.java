package dev.remat.compiler.fusion;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.HandGraph;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.TestTarget;
import dev.remat.ir.Shape;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.Transpose;
import dev.remat.ir.op.Unary;
import dev.remat.ir.target.KernelSignature;
import dev.remat.ir.target.KernelWork;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What cost models are told of a group: the same as of the kernel that runs it. */
class GroupWorkTest {
    private static final Unary EXP = new Unary(Unary.Kind.EXP);
    private static final Binary MUL = new Binary(Binary.Kind.MUL);

    private static List<KernelWork> works(HandGraph graph) {
        Graph built = graph.build();
        TestTarget target = new TestTarget();
        FusedGraph fused = FormFusionGroups.run(PlaceResults.run(MaterializeViews.run(built, target), target), target);
        return fused.groups().stream().map(group -> KernelWork.of(group.body())).toList();
    }

    private static List<String> keys(HandGraph graph) {
        return works(graph).stream()
                .map(KernelWork::signature)
                .map(KernelSignature::key)
                .toList();
    }

    private static HandGraph product(String name, int rows) {
        return new HandGraph()
                .data("x", rows, 4)
                .parameter("w", 4, 2)
                .node("p", new MatMul(false, false), "x", "w")
                .node(name, EXP, "p")
                .output("loss", name);
    }

    @Test
    void saysWhatAGroupDoes() {
        KernelWork work = works(product("y", 8)).getFirst();
        assertThat(work.signature().key())
                .isEqualTo("matmul{transpose_a=false, transpose_b=false}"
                        + "(@0:f32[8, 4], @1:f32[4, 2]) -> f32[8, 2]; exp(%0) -> f32[8, 2]!");
        assertThat(work.flops()).as("2 · 8 · 4 · 2, and 16 exponentials").isEqualTo(128 + 16);
        assertThat(work.bytes()).as("4 · (8 · 4 + 4 · 2 + 8 · 2)").isEqualTo(224);
    }

    @Test
    void namesDoNotMatterButShapesDo() {
        assertThat(keys(product("other", 8))).isEqualTo(keys(product("y", 8)));
        assertThat(keys(product("y", 9))).isNotEqualTo(keys(product("y", 8)));
    }

    @Test
    void tellsReadingTwiceFromReadingTwo() {
        HandGraph once = new HandGraph().data("x", 6).node("y", MUL, "x", "x").output("loss", "y");
        HandGraph both = new HandGraph()
                .data("x", 6)
                .data("z", 6)
                .node("y", MUL, "x", "z")
                .output("loss", "y");
        assertThat(keys(once)).containsExactly("mul(@0:f32[6], @0:f32[6]) -> f32[6]!");
        assertThat(keys(both)).containsExactly("mul(@0:f32[6], @1:f32[6]) -> f32[6]!");
        assertThat(works(once).getFirst().bytes()).isEqualTo(48);
        assertThat(works(both).getFirst().bytes()).isEqualTo(72);
    }

    @Test
    void saysHowAnOperandLiesButNotWhere() {
        Reduce sum = new Reduce(Reduce.Kind.SUM, List.of(0));
        HandGraph turned = new HandGraph()
                .data("x", 2, 3)
                .node("t", new Transpose(List.of(1, 0)), "x")
                .node("y", sum, "t")
                .output("loss", "y");
        assertThat(keys(turned)).hasSize(1).first().asString().contains("(@0:f32[3, 2]{1, 3})");
        HandGraph first = new HandGraph()
                .data("x", 4, 3)
                .node("s", new Slice(Shape.of(0, 0).dims(), Shape.of(2, 3).dims()), "x")
                .node("y", sum, "s")
                .output("loss", "y");
        HandGraph second = new HandGraph()
                .data("x", 4, 3)
                .node("s", new Slice(Shape.of(2, 0).dims(), Shape.of(2, 3).dims()), "x")
                .node("y", sum, "s")
                .output("loss", "y");
        assertThat(keys(first)).isEqualTo(keys(second)).first().asString().contains("(@0:f32[2, 3])");
    }

    @Test
    void equalLayersHaveEqualKernelsDropoutIncluded() {
        Compilation two = TestModels.compile(TestModels.mlp(3, 16, 8), "keep-all");
        Compilation nine = TestModels.compile(TestModels.mlp(9, 16, 8), "keep-all");
        assertThat(distinct(nine)).isEqualTo(distinct(two));
    }

    private static long distinct(Compilation compilation) {
        return keysOfGroups(compilation).stream().distinct().count();
    }

    private static List<String> keysOfGroups(Compilation compilation) {
        return compilation.planning().work().stream()
                .map(work -> work.signature().key())
                .toList();
    }

    private static List<String> keysOfKernels(Compilation compilation) {
        return compilation.plan().steps().stream()
                .map(step -> new KernelSignature(step.body()).key())
                .toList();
    }

    @Test
    void kernelsOfAPlanThatKeepsAllAreTheGroups() {
        Compilation kept = TestModels.compile(TestModels.mlp(5, 16, 8), "keep-all");
        assertThat(keysOfKernels(kept)).isEqualTo(keysOfGroups(kept));
    }

    @Test
    void clonesThatRunAsKernelsOfTheirOwnAreTheKernelsOfTheirOriginals() {
        Compilation sqrt = TestModels.compile(TestModels.mlp(9, 16, 8), "sqrt");
        assertThat(keysOfKernels(sqrt)).hasSizeGreaterThan(keysOfGroups(sqrt).size());
        assertThat(keysOfGroups(sqrt)).containsAll(keysOfKernels(sqrt));
    }
}
