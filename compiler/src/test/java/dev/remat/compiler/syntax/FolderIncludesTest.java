package dev.remat.compiler.syntax;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.remat.compiler.ast.Declaration;
import dev.remat.compiler.ast.Model;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.io.SourceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderIncludesTest {
    @TempDir
    Path outside;

    private Path folder;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createDirectories(outside.resolve("models/parts")).getParent();
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private Model parse(Path main) {
        return ModelParser.parse(SourceFiles.read(main), new FolderIncludes(main));
    }

    private Diagnostic failure(Path main) {
        return catchThrowableOfType(ModelException.class, () -> parse(main))
                .diagnostics()
                .getFirst();
    }

    @Test
    void readsEachFileOnceHoweverOftenItIsIncluded() throws IOException {
        write("parts/d.model", "remat 1\nlayer D(x) { return x }\n");
        write("parts/b.model", "remat 1\ninclude \"d.model\"\n");
        write("c.model", "remat 1\ninclude \"parts/d.model\"\n");
        Model model = parse(write("a.model", "remat 1\ninclude \"parts/b.model\"\ninclude \"c.model\"\nmodel M {}\n"));
        Declaration.Include b = (Declaration.Include) model.declarations().get(0);
        Declaration.Include c = (Declaration.Include) model.declarations().get(1);
        assertThat(((Declaration.Include) b.content().declarations().getFirst()).content())
                .isSameAs(((Declaration.Include) c.content().declarations().getFirst()).content());
        assertThat(b.content().location().file())
                .isEqualTo(folder.resolve("parts/b.model").toString());
    }

    @Test
    void refusesWhatLiesOutsideTheFolder() throws IOException {
        Files.writeString(outside.resolve("secret.model"), "remat 1\n");
        Files.createSymbolicLink(folder.resolve("link.model"), outside.resolve("secret.model"));
        String absolute = outside + "/secret.model";
        for (String path : List.of("../secret.model", absolute, "parts/../../secret.model", "link.model")) {
            Diagnostic refused = failure(write("a.model", "remat 1\ninclude \"" + path + "\"\n"));
            assertThat(refused.code()).as(path).isEqualTo("E0110");
            assertThat(refused.location().line()).isEqualTo(2);
            assertThat(refused.location().column()).isEqualTo(9);
        }
    }

    @Test
    void reportsMissingFilesCyclesAndStrayModels() throws IOException {
        assertThat(failure(write("a.model", "remat 1\ninclude \"none.model\"\n"))
                        .code())
                .isEqualTo("E0109");
        write("b.model", "remat 1\ninclude \"a.model\"\n");
        assertThat(failure(write("a.model", "remat 1\ninclude \"b.model\"\n")).code())
                .isEqualTo("E0111");
        write("b.model", "remat 1\ntrain { seed 1 }\n");
        assertThat(failure(write("a.model", "remat 1\ninclude \"b.model\"\n")).code())
                .isEqualTo("E0112");
    }

    @Test
    void reportsErrorsOfAnIncludedFileInThatFile() throws IOException {
        Path part = write("b.model", "remat 1\nlayer L(x) { return = }\n");
        Diagnostic found = failure(write("a.model", "remat 1\ninclude \"b.model\"\n"));
        assertThat(found.location()).hasToString(part + ":2:21");
    }

    @Test
    void refusesFilesThatAreTooLargeOrNotText() throws IOException {
        Path large = write("large.model", "remat 1\n" + "// ....\n".repeat(SourceFiles.LARGEST / 8));
        assertThat(failure(large).code()).isEqualTo("E0108");
        Path binary = Files.write(folder.resolve("binary.model"), new byte[] {'r', (byte) 0xff, (byte) 0xfe});
        assertThat(failure(binary).code()).isEqualTo("E0104");
        assertThat(failure(folder.resolve("none.model")).code()).isEqualTo("E0109");
    }
}
