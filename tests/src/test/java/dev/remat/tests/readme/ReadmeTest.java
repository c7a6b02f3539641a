package dev.remat.tests.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.Feed;
import dev.remat.Model;
import dev.remat.Plan;
import dev.remat.Training;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.unread.UnreadNames;
import dev.remat.ir.diagnostic.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README shows of models and of the Java interface compiles, runs and is what stands there. */
@Tag("slow")
class ReadmeTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    @Test
    void theExampleTrains(@TempDir Path folder) throws IOException {
        Path file = ROOT.resolve("samples/mlp.model");
        float[] images = new float[100 * 784];
        int[] labels = new int[100];
        List<Double> losses = new ArrayList<>();
        // README: begin
        Model model = Model.open(file).with("B", 32).with("width", 64);
        Plan plan = model.withStrategy("sqrt").plan();
        Feed feed = Feed.shuffled(labels.length, Map.of("images", images, "labels", labels), 1);
        try (Training training = plan.train(feed).saveTo(folder, 100)) {
            training.run(20, step -> losses.add(step.loss()));
        }
        // README: end
        assertThat(losses).hasSize(20).allMatch(Double::isFinite);
    }

    @Test
    void theReadmeShowsTheExample() throws IOException {
        List<String> source =
                Files.readAllLines(ROOT.resolve("tests/src/test/java/dev/remat/tests/readme/ReadmeTest.java"));
        String example = source
                .subList(source.indexOf("        // README: begin") + 1, source.indexOf("        // README: end"))
                .stream()
                .map(line -> line.substring(8))
                .collect(Collectors.joining("\n"));
        assertThat(Files.readString(ROOT.resolve("README.md"))).contains("```java\n" + example + "\n```");
    }

    @Test
    void theModelOfTheReadmeElaboratesAndReadsAllItsNames() throws IOException {
        Matcher text = Pattern.compile("```remat\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(ROOT.resolve("README.md")));
        assertThat(text.find()).isTrue();
        var model = ModelParser.parse(new Source("README.md", text.group(1)), IncludeResolver.NONE);
        assertThat(Elaborator.elaborate(model, Bindings.NONE).name()).isEqualTo("Tiny");
        assertThat(UnreadNames.of(model)).isEmpty();
    }

    @Test
    void theReadmesTestCommandIsTheGate() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        String gate = Files.readString(ROOT.resolve(".ci/run"));
        assertThat(readme).contains("mvn -B -ntp verify");
        assertThat(gate).contains("mvn -B -ntp verify");
    }
}
