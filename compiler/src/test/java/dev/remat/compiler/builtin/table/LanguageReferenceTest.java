package dev.remat.compiler.builtin.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.remat.compiler.ast.Model;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Signature;
import dev.remat.compiler.elaborate.Averages;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.elaborate.LearningRateSchedules;
import dev.remat.compiler.elaborate.LossScales;
import dev.remat.compiler.elaborate.Optimizers;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.unread.UnreadNames;
import dev.remat.ir.diagnostic.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Keeps docs/language.md true; {@code -Dbless=true} writes its tables anew. */
class LanguageReferenceTest {
    private static final Path PAGE = Path.of("../docs/language.md");
    private static final Pattern EXAMPLE = Pattern.compile("```remat( body)?\n(.*?)```", Pattern.DOTALL);

    @Test
    void everyExampleElaborates() throws IOException {
        Matcher example = EXAMPLE.matcher(Files.readString(PAGE));
        int count = 0;
        while (example.find()) {
            String text = example.group(1) == null ? example.group(2) : inModel(example.group(2));
            Model model = ModelParser.parse(new Source("example", text), IncludeResolver.NONE);
            assertThatCode(() -> Elaborator.elaborate(model, Bindings.NONE))
                    .as(text)
                    .doesNotThrowAnyException();
            assertThat(UnreadNames.of(model)).as(text).isEmpty();
            count++;
        }
        assertThat(count).isGreaterThan(5);
    }

    private static String inModel(String body) {
        return "remat 1\nmodel M {\nsymbol B, T\ninput x: f32[B, T, 64]\n" + body
                + "\nloss = mean(x)\n}\ntrain { minimize loss; optimizer sgd(lr = 0.1) }\n";
    }

    @Test
    void theTablesListWhatThereIs() throws IOException {
        String page = Files.readString(PAGE);
        String written = replaced(replaced(page, "builtins", builtins()), "training", training());
        if (Boolean.getBoolean("bless")) {
            Files.writeString(PAGE, written);
        } else {
            assertThat(page).isEqualTo(written);
        }
    }

    private static String replaced(String page, String section, String text) {
        String begin = "<!-- begin " + section + " -->\n";
        int from = page.indexOf(begin) + begin.length();
        int to = page.indexOf("<!-- end " + section + " -->");
        return page.substring(0, from) + "\n" + text + "\n" + page.substring(to);
    }

    private static String builtins() {
        StringBuilder text = new StringBuilder();
        Builtins.byFamily().forEach((family, builtins) -> {
            text.append(text.isEmpty() ? "" : "\n")
                    .append("### ")
                    .append(family)
                    .append("\n\n");
            for (Builtin builtin : builtins) {
                text.append("- `")
                        .append(builtin.name())
                        .append('(')
                        .append(builtin.signature().text())
                        .append(")`");
                text.append(builtin.ownsParameters() ? " •" : "")
                        .append("\n  ")
                        .append(builtin.summary())
                        .append('\n');
            }
        });
        return text.toString();
    }

    private static String training() {
        return "Optimizers, with PyTorch's arguments and defaults:\n\n" + list(Optimizers.table())
                + "\nSchedules; `steps` is the last step, `warmup` how many steps the rate rises at first:\n\n"
                + list(LearningRateSchedules.table())
                + "\nAverages:\n\n" + list(Averages.table())
                + "\nScales of the loss, beside a number and `none`:\n\n" + list(LossScales.table());
    }

    private static String list(SequencedMap<String, Signature> table) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Signature> entry : table.entrySet()) {
            text.append("- `")
                    .append(entry.getKey())
                    .append('(')
                    .append(entry.getValue().text())
                    .append(")`\n");
        }
        return text.toString();
    }
}
