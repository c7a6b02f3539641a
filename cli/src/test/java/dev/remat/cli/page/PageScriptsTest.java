package dev.remat.cli.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The scripts of pages: their types, their tests, their size. */
@Tag("slow")
class PageScriptsTest {
    private static final Path SCRIPTS = Path.of("src/main/resources/dev/remat/cli/page");
    private static final Path TESTS = Path.of("src/test/js");
    private static final int MAX_LINES = 400;
    private static final int MAX_COLUMNS = 120;

    @TempDir
    static Path folder;

    @BeforeAll
    static void layOut() throws IOException {
        copy(SCRIPTS, folder.resolve("page"));
        copy(TESTS, folder.resolve("test"));
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        for (Path file : files(from)) {
            Path copied = to.resolve(from.relativize(file));
            Files.createDirectories(copied.getParent());
            Files.copy(file, copied);
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> walk = Files.walk(folder)) {
            return walk.filter(Files::isRegularFile).sorted().toList();
        }
    }

    @Test
    void theTypesOfScriptsHoldAndAWrongOneIsFound() throws Exception {
        Path compiler = NodeRun.compiler(Files.createDirectory(folder.resolve("typescript")));
        Files.writeString(folder.resolve("wrong.js"), """
            const unused = 1;
            /** @param {number} n */
            export const half = (n) => n.length / 2;
            """);
        // Tests run in Node, whose types are not at hand.
        Path settings = folder.resolve("tsconfig.json");
        String files = "{ \"include\": [\"page/**/*.js\", \"test/libraries.d.ts\", \"wrong.js\"],";
        Files.writeString(
                settings, Files.readString(TESTS.resolve("tsconfig.json")).replaceFirst("\\{", files));
        try (NodeRun node = new NodeRun()) {
            node.load("ts", compiler);
            assertThat(node.lines(complaints(settings)))
                    .containsExactly(
                            "wrong.js:1 'unused' is declared but its value is never read.",
                            "wrong.js:3 Property 'length' does not exist on type 'number'.");
        }
    }

    /** Every complaint of the compiler about the files that its settings name. */
    private static String complaints(Path settings) {
        return """
            (() => {
              const config = ts.getParsedCommandLineOfConfigFile(%s, {}, {...ts.sys,
                onUnRecoverableConfigFileDiagnostic: (d) => { throw new Error(d.messageText) } });
              const program = ts.createProgram(config.fileNames, config.options);
              return ts.getPreEmitDiagnostics(program).map((d) => {
                const at = d.file && d.file.getLineAndCharacterOfPosition(d.start);
                return (at ? d.file.fileName.split('/').pop() + ':' + (at.line + 1) + ' ' : '')
                  + ts.flattenDiagnosticMessageText(d.messageText, ' ');
              });
            })()\
            """.formatted(NodeRun.quoted(settings.toString()));
    }

    @TestFactory
    List<DynamicTest> theScriptsPassTheirTests() throws Exception {
        List<DynamicTest> tests = new ArrayList<>();
        for (Path file : files(TESTS)) {
            if (file.toString().endsWith(".test.js")) {
                String name = TESTS.relativize(file).toString();
                try (NodeRun node = new NodeRun()) {
                    node.load("tests", folder.resolve("test").resolve(name));
                    for (String test : node.lines("Object.keys(tests)")) {
                        String failure = node.text("(() => { try { tests." + test
                                + "(); return ''; } catch (e) { return e.stack || e; } })()");
                        tests.add(DynamicTest.dynamicTest(
                                name + " " + test, () -> assertThat(failure).isEmpty()));
                    }
                }
            }
        }
        assertThat(tests).isNotEmpty();
        return tests;
    }

    @Test
    void scriptsAreShortEnoughToRead() throws IOException {
        List<Path> scripts = new ArrayList<>(files(SCRIPTS));
        scripts.addAll(files(TESTS));
        for (Path script : scripts) {
            List<String> lines = Files.readAllLines(script);
            assertThat(lines.size()).as(script.toString()).isLessThanOrEqualTo(MAX_LINES);
            assertThat(lines.stream().filter(line -> line.length() > MAX_COLUMNS))
                    .as(script.toString())
                    .isEmpty();
        }
    }
}
