package dev.remat.compiler.syntax;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.ast.Model;
import dev.remat.ir.diagnostic.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class PrintParseTest {
    @Test
    void readsBackWhatItPrints() {
        for (long seed = 0; seed < 300; seed++) {
            Model model = new RandomSyntax(seed).model();
            String text = CanonicalForm.of(model);
            Model again = ModelParser.parse(new Source("a.model", text), IncludeResolver.NONE);
            assertThat(withoutLocations(again)).as("seed %d%n%s", seed, text).isEqualTo(withoutLocations(model));
            assertThat(CanonicalForm.of(again)).isEqualTo(text);
        }
    }

    private static String withoutLocations(Model model) {
        return model.toString().replaceAll("(a\\.model|<none>):\\d+:\\d+", "@");
    }

    @Test
    void losesNoCommentAndSettlesAtOnce() {
        for (long seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            StringBuilder text = new StringBuilder();
            List<String> comments = new ArrayList<>();
            for (String line :
                    CanonicalForm.of(new RandomSyntax(seed).model()).lines().toList()) {
                text.append(line);
                if (random.nextInt(3) == 0) {
                    comments.add("// comment " + comments.size());
                    text.append(random.nextBoolean() ? " " : "\n").append(comments.getLast());
                }
                text.append("\n".repeat(random.nextInt(1, 4)));
            }
            String once = Formatter.format(new Source("a.model", text.toString()));
            assertThat(once.lines().filter(line -> line.contains("//")).map(line -> line.substring(line.indexOf("//"))))
                    .as("seed %d%n%s", seed, text)
                    .containsExactlyElementsOf(comments);
            assertThat(Formatter.format(new Source("a.model", once))).isEqualTo(once);
        }
    }
}
