package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.cuda.CaptureOfWhatThrows;
import dev.remat.tests.cuda.CProgram.Run;
import dev.remat.tests.cuda.PlantedLaunchBug.Trial;
import dev.remat.tests.process.RematProcess;
import dev.remat.tests.process.RematProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * What programs do behind a step that is under way, and what is left behind one that fails in its middle, on a driver
 * that is as slow as a device may be. Mistakes put into what launches kernels must show.
 */
@Tag("slow")
class PlantedLaunchBugsTest {
    static final List<PlantedLaunchBug> BUGS = PlantedLaunchBug.ALL;

    private static final Path RUNTIME =
            Path.of("").toAbsolutePath().resolveSibling("runtime").resolve("src/main/java/dev/remat/runtime/cuda");
    private static final String UNDER_WAY = "under_way";
    private static final String OWN_STREAM = "own_stream";
    private static final List<String> ORDERS = List.of("late", "early");
    private static final String REFUSAL = "too many resources requested for launch";
    /** Of each so many launches one is refused in its turn. */
    private static final int EVERY = 4;

    @TempDir
    static Path folder;

    private static CProgram cut;
    private static CProgram moving;
    /** Launches of a step of it. */
    private static int launches;

    private static CProgram tiny;
    private static Path kernels;
    private static Path driver;

    @BeforeAll
    static void build() throws IOException {
        ExecutionPlan cuts = CutPlans.plan(CutPlans.STATE_BELOW);
        ExecutionPlan moves = new MovingPlans(Architecture.SM_80).moving();
        KernelProgram ofCuts = CutPlans.generate(cuts);
        KernelProgram ofMoves = CutPlans.generate(moves);
        List<KernelSource> sources = new ArrayList<>(TinyProgram.PROGRAM.kernels());
        sources.addAll(ofCuts.kernels());
        sources.addAll(ofMoves.kernels());
        kernels = TestDriver.compile(sources, folder.resolve("kernels"));
        cut = program(cuts, ofCuts, "cut", UNDER_WAY);
        moving = program(moves, ofMoves, "moving", UNDER_WAY);
        launches = ofMoves.launches().size();
        tiny = program(TinyProgram.PLAN, TinyProgram.PROGRAM, "tiny", OWN_STREAM);
        driver = folder.resolve("tiny/driver");
    }

    private static CProgram program(ExecutionPlan plan, KernelProgram kernels, String name, String main)
            throws IOException {
        Path own = Files.createDirectories(folder.resolve(name));
        CProgram program = CProgram.build(plan, kernels, List.of(Architecture.SM_80), own);
        program.compile(source(main, own), main);
        return program;
    }

    private static Path source(String main, Path own) throws IOException {
        return Files.writeString(own.resolve(main + ".cc"), ShimSource.resource("driver/" + main + ".cc"));
    }

    private static String main(Trial trial) {
        return trial == Trial.SHARED ? OWN_STREAM : UNDER_WAY;
    }

    @ParameterizedTest
    @EnumSource(Trial.class)
    void programsAsTheyAreRight(Trial trial) throws IOException, InterruptedException {
        check(trial, main(trial), Optional.empty());
    }

    @ParameterizedTest
    @FieldSource("BUGS")
    void theBugShows(PlantedLaunchBug bug) throws IOException {
        Path own = Files.createDirectories(folder.resolve(bug.name()));
        Trial trial = bug.trial();
        if (bug.file().equals(PlantedLaunchBug.STEP)) {
            CProgram program = trial == Trial.SHARED ? tiny : trial == Trial.REFUSED ? moving : cut;
            Path wrong = Files.writeString(own.resolve("step.cc"), bug.in(Files.readString(program.step())));
            program.compile(source(main(trial), own), wrong, bug.name());
            assertThatThrownBy(() -> check(trial, bug.name(), Optional.empty())).isInstanceOf(AssertionError.class);
        } else {
            Path classes = compile(bug, own);
            assertThatThrownBy(() -> check(trial, "", Optional.of(classes))).isInstanceOf(AssertionError.class);
        }
    }

    /** A class of the runtime with a mistake, to be found before the right one. */
    private static Path compile(PlantedLaunchBug bug, Path own) throws IOException {
        String name = bug.file() + ".java";
        Path source = Files.writeString(own.resolve(name), bug.in(Files.readString(RUNTIME.resolve(name))));
        Path classes = Files.createDirectories(own.resolve("classes"));
        int status = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-d",
                        classes.toString(),
                        source.toString());
        assertThat(status).isZero();
        return classes;
    }

    private static void check(Trial trial, String name, Optional<Path> classes)
            throws IOException, InterruptedException {
        switch (trial) {
            case UNDER_WAY -> checkUnderWay(name);
            case REFUSED -> checkRefused(name);
            case SHARED -> succeeds(tiny.run(name, kernels, Map.of()));
            case JAVA_SHARED -> checkJavaShared(classes);
            case JAVA_REFUSED -> checkJavaRefused(classes);
            case JAVA_CAPTURE ->
                assertThat(java(CaptureOfWhatThrows.class, classes, Map.of()).out())
                        .isEqualTo("no launch\nthen 0\n");
        }
    }

    /** What is read is the same, whether or not steps have been waited for. */
    private static void checkUnderWay(String name) throws IOException {
        Set<String> found = new TreeSet<>();
        for (String order : ORDERS) {
            Map<String, String> environment = Map.of("REMAT_TEST_ORDER", order);
            found.add(succeeds(cut.run(name, kernels, environment, "wait")));
            found.add(succeeds(cut.run(name, kernels, environment)));
        }
        assertThat(found).hasSize(1);
    }

    /**
     * What is read behind a launch that is refused is there, and nothing is freed that a copy needs. One of the second
     * step is refused while it is captured, and then runs by itself.
     */
    private static void checkRefused(String name) throws IOException {
        String undisturbed = succeeds(moving.run(name, kernels, Map.of()));
        for (int launch = EVERY; launch <= 2 * launches; launch += EVERY) {
            Set<String> found = new TreeSet<>();
            for (String order : ORDERS) {
                Map<String, String> environment = Map.of("REMAT_TEST_ORDER", order, "REMAT_TEST_REFUSE", "@" + launch);
                found.add(succeeds(moving.run(name, kernels, environment)));
            }
            assertThat(found).hasSize(1);
            if (launch <= launches) {
                assertThat(found.iterator().next()).startsWith("step 1: ").contains(REFUSAL);
            } else {
                assertThat(found).containsExactly(undisturbed);
            }
        }
    }

    private static String succeeds(Run run) {
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        return run.out();
    }

    private static void checkJavaShared(Optional<Path> classes) throws IOException, InterruptedException {
        long needed = StepsOnGpu.DECLARED_SHARED + 128;
        Result enough = java(StepsOnGpu.class, classes, Map.of("REMAT_TEST_SHARED", "" + needed), StepsOnGpu.TINY);
        assertThat(enough.out()).isEqualTo("step 1\nstep 2\nstep 3\n");
        Result less = java(StepsOnGpu.class, classes, Map.of("REMAT_TEST_SHARED", "" + (needed - 1)), StepsOnGpu.TINY);
        assertThat(less.out())
                .contains("descend_2, compiled for sm_80, has " + needed + " bytes of shared memory in a block, and")
                .doesNotContain("step 1");
    }

    private static void checkJavaRefused(Optional<Path> classes) throws IOException, InterruptedException {
        for (int launch = 2 * EVERY; launch <= 6 * EVERY; launch += 2 * EVERY) {
            Result run = java(StepsOnGpu.class, classes, Map.of("REMAT_TEST_REFUSE", "@" + launch), StepsOnGpu.MOVING);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("training step 1 has failed in ", REFUSAL);
        }
    }

    private static Result java(Class<?> main, Optional<Path> classes, Map<String, String> environment, String... words)
            throws IOException, InterruptedException {
        RematProcess process = new RematProcess(Files.createDirectories(folder.resolve("java")))
                .with("LD_LIBRARY_PATH", driver)
                .with("REMAT_TEST_KERNELS", kernels)
                .withMain(main);
        classes.ifPresent(process::withClasses);
        environment.forEach(process::with);
        return process.run(words);
    }
}
