package dev.remat.tests.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.ast.Model;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.compiler.unread.UnreadNames;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the README shows of models and of the Java interface compiles, runs and is what stands there. */
class ReadmeTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    @Test
    void theExampleTrains() throws IOException {
        Path file = ROOT.resolve("samples/mlp.model");
        List<Double> losses = new ArrayList<>();
        // README: begin
        ModelSettings settings = ModelSettings.of(Bindings.parse(List.of("B=32,width=64")));
        ModelSession model = ModelSession.of(ModelText.file(file), settings.cutInto(4));
        ElaboratedModel step = model.step(Purpose.TRAIN);
        CpuTarget target = new CpuTarget();
        Compiler compiler = new Compiler(target, new RooflineCost(target.device()));
        CompileOptions options = CompileOptions.defaults().withStrategy("sqrt");
        ExecutionPlan plan = compiler.compile(step, options).plan();
        try (CpuExecutable executable = new CpuExecutable(plan);
                SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(executable, data.training(InputFeed.specs(plan), plan.seed()));
            for (int done = 0; done < 20; done++) {
                losses.add(trainer.step().loss());
            }
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
        Model model = ModelParser.parse(new Source("README.md", text.group(1)), IncludeResolver.NONE);
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
