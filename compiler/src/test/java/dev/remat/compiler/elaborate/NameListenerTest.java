package dev.remat.compiler.elaborate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.ast.Model;
import dev.remat.compiler.stage.NameListener;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Graph;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class NameListenerTest {
    /** Writes down what it hears. */
    private static final class Heard implements NameListener {
        private final List<String> lines = new ArrayList<>();

        @Override
        public void tensor(Location at, ValueId value, TensorType type) {
            lines.add(at.line() + ":" + at.column() + " " + type);
        }

        @Override
        public void other(Location at, Supplier<String> text) {
            lines.add(at.line() + ":" + at.column() + " " + text.get());
        }

        @Override
        public void built(Graph forward) {
            lines.add("built");
        }
    }

    private static void elaborate(String body, Heard heard) {
        Model model = ModelParser.parse(
                new Source(
                        "m",
                        "remat 1\nmodel M(width: int = 4) {\n" + body
                                + "}\ntrain { minimize y; optimizer sgd(lr = 0.1) }\n"),
                IncludeResolver.NONE);
        Elaborator.elaborate(model, Bindings.NONE, Purpose.TRAIN, heard);
    }

    @Test
    void hearsNamesCallsAndParametersInTheirPlaces() {
        Heard heard = new Heard();
        elaborate("""
            symbol B
            input x: f32[B, 4]
            layer F(a) { return a * width }
            repeat 2 { x = F(x) }
            let n = width * 2
            y = mean(x)
            """, heard);
        assertThat(heard.lines)
                .containsExactly(
                        "2:9 4",
                        "3:8 B",
                        "4:7 f32[B, 4]",
                        "5:9 f32[B, 4]",
                        "6:16 f32[B, 4]",
                        "6:12 f32[B, 4]",
                        "5:9 f32[B, 4]",
                        "6:16 f32[B, 4]",
                        "6:12 f32[B, 4]",
                        "7:5 8",
                        "8:5 f32[]",
                        "8:1 f32[]",
                        "built");
    }

    @Test
    void hearsWhatIsKnownOfAModelWithMistakes() {
        Heard heard = new Heard();
        assertThatThrownBy(() -> elaborate("input x: f32[2, 4]\nz = relux(x)\ny = mean(x)\n", heard))
                .isInstanceOf(ModelException.class);
        assertThat(heard.lines).contains("3:7 f32[2, 4]", "5:1 f32[]").noneMatch(line -> line.startsWith("4:"));
        assertThat(heard.lines).doesNotContain("built");
    }
}
