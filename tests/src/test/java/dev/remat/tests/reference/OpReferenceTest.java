package dev.remat.tests.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Differentiable;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.OpFamily;
import dev.remat.ir.op.Ops;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.View;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Holds {@code docs/ops.md} to the table of operations; {@code -Dbless=true} writes it anew. */
class OpReferenceTest {
    private static final Path PAGE = Path.of("..", "docs", "ops.md");

    @Test
    void pageIsThatOfTheTable() throws IOException {
        String page = page();
        if (Boolean.getBoolean("bless")) {
            Files.createDirectories(PAGE.getParent());
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(page);
    }

    private static String page() {
        StringBuilder page = new StringBuilder("""
            # Operations of the IR

            Written from `Ops.ALL` by `OpReferenceTest`; `-Dbless=true` writes it anew. The Javadoc of each record in
            `dev.remat.ir.op` defines shapes, dtypes and formulas. How to add one: [adding-an-op.md](adding-an-op.md).

            An *elementwise* operation can be fused into its neighbours, a *view* owns no storage where its reader
            follows strides, a *random* one threads the seed, and an *update* happens once a step and is never \
            recomputed.
            """);
        for (OpFamily family : Ops.ALL) {
            page.append("\n## ").append(String.join(", ", family.mnemonics())).append("\n\n");
            page.append(family.doc()).append(".\n");
            String traits = traits(family.examples());
            if (!traits.isEmpty()) {
                page.append("*").append(traits).append("*\n");
            }
            page.append("\n```\n");
            family.examples().forEach(op -> page.append(application(op)).append('\n'));
            page.append("```\n");
        }
        return page.toString();
    }

    private static String traits(List<Op> examples) {
        List<String> traits = new ArrayList<>();
        Op op = examples.getFirst();
        if (op instanceof Elementwise) {
            traits.add("elementwise");
        }
        if (op instanceof View) {
            traits.add("view");
        }
        if (op instanceof RandomOp) {
            traits.add("random");
        }
        if (op instanceof Update) {
            traits.add("update");
        }
        if (examples.stream().map(Differentiable::of).anyMatch(Optional::isPresent)) {
            traits.add("differentiable");
        }
        return String.join(", ", traits);
    }

    private static String application(Op op) {
        List<TensorType> operands = new OpSamples(DType.F32)
                .of(op).getFirst().stream().map(Tensor::type).toList();
        return op.mnemonic() + op.attributes() + list(operands) + " -> " + list(op.infer(operands));
    }

    private static String list(List<TensorType> types) {
        return types.stream().map(TensorType::toString).collect(Collectors.joining(", ", "(", ")"));
    }
}
