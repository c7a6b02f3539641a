package dev.remat.cli.lsp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server as a process of its own, on standard input and output. */
@Tag("slow")
class StandardStreamsTest {
    private static final String MODEL = """
        remat 1

        model   M {
          symbol B
          input x: f32[B, 8]
          h = drpout(x, 0.5)
          loss = mean(h)
        }

        train { minimize loss; optimizer sgd(lr = 0.1) }
        """;

    @TempDir
    Path folder;

    private static List<String> command() {
        return List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.remat.cli.Main",
                "lsp");
    }

    @Test
    void anEditorOpensTypesSavesAndEnds() throws Exception {
        Process server = new ProcessBuilder(command())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Editor editor = new Editor(server.getInputStream(), server.getOutputStream());
        assertThat(editor.begin(folder).getCapabilities().getHoverProvider().getLeft())
                .isTrue();
        String uri = editor.open(folder.resolve("m.model"), MODEL);
        assertThat(editor.findings(uri)).hasSize(1);
        editor.type(uri, MODEL.indexOf("pout"), "o");
        editor.save(uri);
        assertThat(editor.findings(uri)).isEmpty();
        Editor.now(editor.server().shutdown());
        editor.server().exit();
        assertThat(server.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(server.exitValue()).isZero();
    }

    @Test
    void anEditorThatIsGoneEndsIt() throws Exception {
        Process server = new ProcessBuilder(command())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        server.getOutputStream().close();
        assertThat(server.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(server.exitValue()).isEqualTo(1);
    }

    @Test
    void neovimShowsFindsRenamesAndFormats() throws Exception {
        assumeTrue(
                Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(each -> Files.isExecutable(Path.of(each, "nvim"))),
                "there is no Neovim here");
        Path model = Files.writeString(folder.resolve("m.model"), MODEL);
        Path report = folder.resolve("report");
        ProcessBuilder neovim = new ProcessBuilder(
                "nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", "luafile src/test/lua/neovim.lua");
        neovim.environment().put("REMAT_MODEL", model.toString());
        neovim.environment().put("REMAT_REPORT", report.toString());
        neovim.environment().put("REMAT_SERVER", String.join("\n", command()));
        neovim.environment().put("HOME", folder.toString());
        Process running = neovim.redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        assertThat(running.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(report).exists();
        List<String> lines = Files.readAllLines(report);
        assertThat(lines).as(String.join("\n", lines)).hasSize(7);
        assertThat(lines.get(0)).startsWith("found 5:6 ").contains("'drpout'", "did you mean 'dropout'?");
        assertThat(lines.get(1)).isEqualTo("no mistake is left");
        assertThat(lines.get(2)).contains("f32[B, 8]");
        assertThat(Integer.parseInt(lines.get(3).split(" ")[1])).isGreaterThan(100);
        assertThat(lines.get(4)).isEqualTo("renamed   noisy = dropout(x, 0.5)");
        assertThat(lines.get(5)).isEqualTo("formatted model M {");
        assertThat(lines.get(6)).isEqualTo("ended");
    }
}
