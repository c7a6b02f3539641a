package dev.remat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./remat test} asks of Maven, in a checkout of one test class and one pass file. */
class TestLoopTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final String PASS = "compiler/src/test/resources/passes/fold/adds.ir";
    private static final int USAGE = 2;

    @TempDir
    Path folder;

    private record Result(int exitCode, String out, String err, List<String> calls) {}

    @BeforeEach
    void makeCheckout() throws IOException {
        for (String script : List.of("remat", ".ci/test")) {
            Files.createDirectories(folder.resolve(script).getParent());
            Files.copy(ROOT.resolve(script), folder.resolve(script));
        }
        write("runtime/src/test/java/dev/remat/runtime/TrainerTest.java", "");
        write(PASS, "");
        for (String module : List.of("ir", "compiler", "codegen-cuda", "runtime", "cli", "tests")) {
            write(module + "/pom.xml", "");
            write(module + "/src/main/java/A.java", "");
            write(module + "/target/linted", "");
        }
        maven(report("FastTest", "0.5", 0) + report("SlowTest", "4.25", 0));
    }

    private Path write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    /** A Maven that notes what it is asked for, and then does as the script says. */
    private void maven(String script) throws IOException {
        Path maven = write("bin/mvn", "#!/bin/sh\necho \"$*\" >> calls\n" + script);
        Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String report(String name, String seconds, int failures) {
        String reports = "ir/target/surefire-reports";
        return """
            mkdir -p %1$s
            echo '<testsuite name="%2$s" time="%3$s" tests="3" errors="0" skipped="1" failures="%4$d">' \\
                > %1$s/TEST-%2$s.xml
            """.formatted(reports, name, seconds, failures);
    }

    private Result test(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("bash", folder.resolve("remat").toString(), "test"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        int exitCode = process.waitFor();
        Path calls = folder.resolve("calls");
        return new Result(exitCode, out, err, Files.exists(calls) ? Files.readAllLines(calls) : List.of());
    }

    @Test
    void withoutArgumentAllQuickTestsRunAndSlowClassesAreNamed() throws IOException, InterruptedException {
        Result run = test();
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.calls())
                .singleElement()
                .asString()
                .startsWith("-B -ntp test")
                .contains("-Pquick");
        assertThat(run.calls().getFirst()).doesNotContain("-pl", "-Dtest=", "format.phase");
        assertThat(run.out())
                .containsPattern("4 cases in 2 classes, 0 failed, [0-9]+ s\n")
                .contains("slower than 3 s and not tagged: SlowTest, 4.25 s")
                .doesNotContain("FastTest");
    }

    @Test
    void whatHasChangedIsCompiledStrictlyBefore() throws IOException, InterruptedException {
        Files.delete(folder.resolve("runtime/target/linted"));
        List<String> calls = test().calls();
        assertThat(calls).hasSize(2);
        assertThat(calls.getFirst())
                .startsWith("-B -ntp test-compile")
                .contains("-pl runtime -am", "-Pquick")
                .doesNotContain("-Dlint");
        assertThat(calls.getLast()).contains("-Dlint=", "-Dformat.phase=none");
        assertThat(test().calls()).as("once").hasSize(3);
    }

    @Test
    void aModuleRunsItsQuickTestsAlone() throws IOException, InterruptedException {
        Files.delete(folder.resolve("runtime/target/linted"));
        assertThat(test("codegen-cuda").calls())
                .singleElement()
                .asString()
                .contains("-Pquick", "-pl codegen-cuda -am", "-Dtest=dev/remat/codegen/**/*Test.java");
    }

    @Test
    void aClassRunsWithItsSlowTests() throws IOException, InterruptedException {
        for (String name : List.of("TrainerTest", "dev.remat.runtime.TrainerTest", "TrainerTest#resumes")) {
            Result run = test(name);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.calls().getLast())
                    .contains("-pl runtime -am", "-Dtest=" + name, "-Dsurefire.failIfNoSpecifiedTests=false")
                    .doesNotContain("-Pquick");
            assertThat(run.out()).doesNotContain("not tagged");
        }
    }

    @Test
    void aPassFileRunsAlone() throws IOException, InterruptedException {
        for (String name : List.of(PASS, "./" + PASS, folder.resolve(PASS).toString())) {
            assertThat(test(name).calls().getLast())
                    .contains("-pl compiler -am", "-Dtest=PassFilesTest#", "-Dremat.pass.file=fold/adds.ir");
        }
    }

    @Test
    void whatIsUnknownIsRefusedBeforeAnythingRuns() throws IOException, InterruptedException {
        write("tests/other.ir", "");
        for (String name : List.of("NoSuchTest", "gpu", "", "src/*", "tests/other.ir", "passes/fold/none.ir")) {
            Result run = test(name);
            assertThat(run.exitCode()).as(name).isEqualTo(USAGE);
            assertThat(run.err()).startsWith("remat: ").contains("usage: ./remat test [MODULE | CLASS");
            assertThat(run.calls()).isEmpty();
        }
        assertThat(test("ir", "cli").exitCode()).isEqualTo(USAGE);
    }

    @Test
    void failuresAreToldWithTheirMessages() throws IOException, InterruptedException {
        maven("""
            echo '[INFO] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1 -- in FastTest'
            echo '[ERROR] Failures: '
            echo '[ERROR]   FastTest.adds:12 '
            echo 'expected: 3'
            echo ' but was: 4'
            echo '[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1'
            """ + report("FastTest", "0.5", 1));
        Result run = test("TrainerTest");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out())
                .contains("FastTest.adds:12", "expected: 3\n but was: 4", "2 cases in 1 classes, 1 failed")
                .doesNotContain("[ERROR]", "Tests run");
    }

    @Test
    void whatDoesNotCompileFails() throws IOException, InterruptedException {
        maven("echo '[ERROR] /ir/A.java:[1,2] error: no such thing'; exit 1\n");
        Result run = test();
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("/ir/A.java:[1,2] error: no such thing");
        assertThat(run.err()).contains("failed after", "target/test.log");
    }

    @Test
    void nothingThatRanIsNoSuccess() throws IOException, InterruptedException {
        maven("");
        assertThat(test("TrainerTest").exitCode()).isEqualTo(1);
    }
}
