package dev.remat.compiler.onnx.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.onnx.rule.Operator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Keeps the list of operators in docs/import.md true; {@code -Dbless=true} writes it anew. */
class OperatorTableTest {
    private static final Path PAGE = Path.of("../docs/import.md");
    private static final Map<Operator.How, String> WORDS = new TreeMap<>(Map.of(
            Operator.How.DIRECT, "direct",
            Operator.How.COMPOSED, "composed",
            Operator.How.FOLDED, "folded",
            Operator.How.IF_CONSTANT, "if constant"));

    @Test
    void theListIsThatOfTheTable() throws IOException {
        String page = Files.readString(PAGE);
        String begin = "<!-- begin operators -->\n";
        int from = page.indexOf(begin) + begin.length();
        String written = page.substring(0, from) + "\n" + table() + "\n"
                + page.substring(page.indexOf("<!-- end operators -->"));
        if (Boolean.getBoolean("bless")) {
            Files.writeString(PAGE, written);
        } else {
            assertThat(page).isEqualTo(written);
        }
    }

    private static String table() {
        StringBuilder text = new StringBuilder("| | operators |\n|---|---|\n");
        WORDS.forEach((how, words) -> {
            List<String> names = Operators.all().stream()
                    .filter(each -> each.how() == how && isOfOnnx(each))
                    .map(Operator::name)
                    .sorted()
                    .toList();
            text.append("| " + words + ": " + names.size() + " | " + String.join(", ", names) + " |\n");
        });
        text.append("| of `com.microsoft` | ")
                .append(Operators.all().stream()
                        .map(Operator::name)
                        .filter(name -> name.startsWith("com.microsoft::"))
                        .map(name -> name.substring("com.microsoft::".length()))
                        .sorted()
                        .collect(Collectors.joining(", ")))
                .append(" |\n");
        Map<String, List<String>> refused = Operators.all().stream()
                .filter(each -> each.how() == Operator.How.REFUSED)
                .collect(Collectors.groupingBy(
                        Operator::says, TreeMap::new, Collectors.mapping(Operator::name, Collectors.toList())));
        refused.forEach(
                (reason, names) -> text.append("| refused: " + reason + " | " + String.join(", ", names) + " |\n"));
        return text.toString();
    }

    /** ONNX 1.22 has 202 operators in its default domain, with those that others have replaced. */
    @Test
    void everyOperatorHasARow() {
        long count =
                Operators.all().stream().filter(OperatorTableTest::isOfOnnx).count();
        assertThat(count).isEqualTo(202);
        assertThat(Operators.all())
                .filteredOn(each -> isOfOnnx(each) && each.how() != Operator.How.REFUSED)
                .hasSizeGreaterThanOrEqualTo(160);
    }

    /** One that ONNX Runtime's optimizer leaves in ONNX's own domain is none of these. */
    private static boolean isOfOnnx(Operator operator) {
        return !operator.name().contains("::") && !operator.name().equals("SimplifiedLayerNormalization");
    }
}
