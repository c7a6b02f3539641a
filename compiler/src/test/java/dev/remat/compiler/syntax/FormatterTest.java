package dev.remat.compiler.syntax;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import java.util.List;
import org.junit.jupiter.api.Test;

class FormatterTest {
    private static String format(String text) {
        return Formatter.format(new Source("a.model", text));
    }

    private static String hash(String text) {
        return CanonicalForm.hash(ModelParserTest.parse(text), List.of("width=128"));
    }

    @Test
    void keepsCommentsAndSingleBlankLines() {
        String formatted = format("""
            // head
            remat 1 // version
            include "b.model" // b
            include "a.model"
            layer L(x) { // opens


              // first
              y = f(x, // one
                 // two
                 3) // three


              // before
              if a { return x } // after if
              // before else
              else { return y }
              // last
            } // closed
            // tail
            """);
        assertThat(formatted).isEqualTo("""
            // head
            remat 1  // version

            include "b.model"  // b
            include "a.model"

            layer L(x) {  // opens
              // first
              y = f(x, 3)  // one
              // two
              // three

              // before
              if a {
                return x
              } else {  // after if
                // before else
                return y
              }
              // last
            }  // closed
            // tail
            """);
        assertThat(format(formatted)).isEqualTo(formatted);
    }

    @Test
    void breaksWhatIsTooLongForALine() {
        String formatted = format("""
            remat 1
            layer Long(first: int = 1, second: int = 2, third: int = 3, fourth: int = 4, fifth: int = 5, sixth, x) {
              y = conv2d(x, 64, kernel = (3, 3), stride = 1) |> batch_norm(eps = 1e-5) |> relu
                |> max_pool2d(2, stride = 2)
              return y
            }
            """);
        assertThat(formatted).isEqualTo("""
            remat 1

            layer Long(
              first: int = 1,
              second: int = 2,
              third: int = 3,
              fourth: int = 4,
              fifth: int = 5,
              sixth,
              x,
            ) {
              y = conv2d(x, 64, kernel = (3, 3), stride = 1)
                |> batch_norm(eps = 1e-5)
                |> relu
                |> max_pool2d(2, stride = 2)
              return y
            }
            """);
        assertThat(format(formatted)).isEqualTo(formatted);
    }

    @Test
    void setsEachLineOfTheTrainingApart() {
        assertThat(format("remat 1\ntrain { minimize loss; micro_batches   (2*pieces); seed 1 }"))
                .isEqualTo("remat 1\n\ntrain {\n  minimize loss\n  micro_batches 2 * pieces\n  seed 1\n}\n");
    }

    @Test
    void leavesOutBracketsThatChangeNothing() {
        assertThat(format("remat 1\nmodel M { x = (((a * b)) + (-c)) * (d |> f) ** (if a then b else (c |> g)) }"))
                .contains("  x = (a * b + -c) * (d |> f) ** (if a then b else c |> g)\n");
    }

    @Test
    void formatsTheSketchToItsOwnFixedPoint() {
        String once = format(ModelParserTest.GPT);
        assertThat(format(once)).isEqualTo(once);
        assertThat(once).contains("// parameters: block.0.attention.qkv.weight …");
        assertThat(ModelParserTest.parse(once))
                .usingRecursiveComparison()
                .ignoringFieldsOfTypes(Location.class)
                .isEqualTo(ModelParserTest.parse(ModelParserTest.GPT));
    }

    @Test
    void hashesWhatIsSaidAndNotHowItIsLaidOut() {
        String hash = hash(ModelParserTest.GPT);
        String other = ModelParserTest.GPT
                .replace("0.1, clip_norm", "0.10,\n\n clip_norm")
                .replace("// tied", "");
        assertThat(hash).matches("[0-9a-f]{64}").isEqualTo(hash(other));
        String changed = ModelParserTest.GPT.replace("seed 42", "seed 43");
        assertThat(hash(changed)).isNotEqualTo(hash);
    }
}
