package dev.remat.tests.samples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.ast.Model;
import dev.remat.compiler.syntax.Formatter;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.compiler.unread.UnreadNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Sample files as text, and the pages beside them. */
class SampleFormTest {
    static final List<SampleModel> SAMPLES = SampleModels.ALL;

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void isInCanonicalForm(SampleModel sample) {
        String text = sample.source().text();
        assertThat(Formatter.format(sample.source())).isEqualTo(text);
    }

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void readsAllItsNames(SampleModel sample) {
        Model model = ModelParser.parse(sample.source(), IncludeResolver.NONE);
        assertThat(UnreadNames.of(model)).isEmpty();
    }

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void elaboratesForEvaluationWithTheSameParameters(SampleModel sample) {
        assertThat(SampleInputs.names(
                        sample.elaborate(sample.tiny(), Purpose.EVALUATE).forward()))
                .containsExactlyElementsOf(SampleInputs.names(sample.tinyModel().forward()));
    }

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void hasAPage(SampleModel sample) throws IOException {
        assertThat(Files.readString(sample.path().resolveSibling(sample.name() + ".md")))
                .contains("samples/" + sample.name() + ".model");
    }

    @Test
    void isListed() throws IOException {
        try (Stream<Path> files = Files.list(SAMPLES.getFirst().path().getParent())) {
            List<String> models = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".model"))
                    .sorted()
                    .toList();
            assertThat(models)
                    .isEqualTo(SAMPLES.stream()
                            .map(sample -> sample.name() + ".model")
                            .sorted()
                            .toList());
        }
    }
}
