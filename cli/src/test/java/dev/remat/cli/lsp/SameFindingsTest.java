package dev.remat.cli.lsp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.command.CommandRun;
import dev.remat.cli.lsp.model.Analysis;
import dev.remat.cli.lsp.model.Analyze;
import dev.remat.cli.lsp.model.Documents;
import dev.remat.cli.lsp.text.Document;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server finds what {@code remat plan} prints: the same places, codes, messages and notes. */
@Tag("slow")
class SameFindingsTest {
    private static final boolean ALL = System.getProperty("remat.cases", "").equals("all");
    private static final int EDITED = ALL ? 200 : 12;
    private static final Pattern HEADLINE = Pattern.compile("(.+?):(\\d+):(\\d+): (error|warning)\\[\\w+]: .*");
    private static final List<String> SAMPLES =
            List.of("mlp.model B=2", "autoencoder.model B=2", "vae.model B=2", "gpt.model B=2,T=8,depth=1");

    @TempDir
    Path folder;

    @Test
    void ofModelsThatHaveEveryMistake() throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.list(Path.of("../compiler/src/test/resources/diagnostics"))) {
            files = found.filter(file -> file.toString().endsWith(".model"))
                    .sorted()
                    .toList();
        }
        int compared = 0;
        for (Path file : files) {
            List<String> told = told(file.toAbsolutePath().normalize(), List.of());
            if (file.endsWith("E0404-layers.model")) {
                // In an editor, a file of layers is as it should be.
                assertThat(found(file.toAbsolutePath().normalize())).isEmpty();
                continue;
            }
            // A model that compiles is planned, which needs extents and says nothing of the text.
            if (!told.isEmpty()) {
                assertThat(found(file.toAbsolutePath().normalize()))
                        .as(file.toString())
                        .isEqualTo(told);
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(50);
    }

    @Test
    void ofEditedSamples() throws IOException {
        RandomEdits edits = new RandomEdits(200);
        for (int i = 0; i < EDITED; i++) {
            String[] sample = SAMPLES.get(i % SAMPLES.size()).split(" ");
            String text = Files.readString(Path.of("../samples").resolve(sample[0]))
                    .replaceFirst("remat 1\n", "remat 1\n//! plan --set " + sample[1] + "\n");
            int count = 1 + edits.below(3);
            for (int k = 0; k < count; k++) {
                text = edits.next(text).apply(text);
            }
            if (!text.contains("//! plan --set " + sample[1] + "\n")) {
                continue;
            }
            Path file = Files.writeString(folder.resolve("m" + i + ".model"), text);
            assertThat(found(file)).as(text).isEqualTo(told(file, List.of("--set", sample[1])));
        }
    }

    private static List<String> found(Path file) throws IOException {
        Document document = new Document(file.toUri().toString(), 1, Files.readString(file));
        Analysis analysis = Analyze.run(document, new Documents().includes(document), "", () -> false);
        List<String> lines = new ArrayList<>();
        analysis.findings().forEach(finding -> {
            lines.add(finding.headline());
            finding.notes().forEach(note -> lines.add("= " + note));
        });
        return lines;
    }

    private static List<String> told(Path file, List<String> options) {
        List<String> words = new ArrayList<>(List.of("plan", file.toString()));
        words.addAll(options);
        return CommandRun.of(words.toArray(String[]::new))
                .err()
                .lines()
                .map(line -> line.replaceFirst("^ +(?== )", ""))
                .filter(line -> HEADLINE.matcher(line).matches() || line.startsWith("= "))
                .toList();
    }
}
