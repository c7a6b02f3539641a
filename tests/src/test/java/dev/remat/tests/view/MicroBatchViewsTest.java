package dev.remat.tests.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.account.Kind;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.StepFacts;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.Alignment;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Section;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.target.KernelWork;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.page.JsonTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is told of a step that is cut into micro-batches, held against the plan alone: a model with dropout, batch norm
 * and targets that are left out, so that there is a section that counts, one for micro-batches and one that updates.
 */
class MicroBatchViewsTest {
    private static final int ROUNDS = 4;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final String TEXT = """
        remat 1

        model Picky() {
          symbol B
          input x: f32[B, 6, 12]
          input targets: i32[B, 6]
          h = batch_norm(permute(linear(x, 24) as wide, (0, 2, 1))) as norm |> relu
          h = dropout(linear(permute(h, (0, 2, 1)), 24) as inner |> gelu, 0.2)
          logits = linear(h, 5) as head
          loss = cross_entropy(logits, targets, ignore_index = 3)
        }

        train {
          minimize loss
          optimizer adamw(lr = 0.001, clip_norm = 1.0)
        }
        """;

    @TempDir
    private Path folder;

    private String model;

    @BeforeEach
    void write() throws IOException {
        model = Files.writeString(folder.resolve("picky.model"), TEXT).toString();
    }

    private String run(String command, String... more) {
        List<String> words = new ArrayList<>(List.of(command, model, "--set", "B=16"));
        words.addAll(List.of(more));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exit = RematCommand.run(new Console(out, err, false, false), words.toArray(String[]::new));
        assertThat(exit).as(err.toString(StandardCharsets.UTF_8)).isZero();
        return out.toString(StandardCharsets.UTF_8);
    }

    private Map<?, ?> json(String command, String... more) {
        List<String> words = new ArrayList<>(List.of(more));
        words.add("--json");
        return (Map<?, ?>) JsonTree.read(run(command, words.toArray(String[]::new)));
    }

    private static Compilation compile(int rounds, String strategy) {
        ModelSession model = ModelSession.of(
                ModelText.of(new Source("picky.model", TEXT), IncludeResolver.NONE),
                ModelSettings.NONE.with("B", "16").cutInto(rounds));
        TargetModel target = new CpuTarget();
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(model.step(Purpose.TRAIN), CompileOptions.defaults().withStrategy(strategy));
    }

    private static List<StepFacts> steps(PlanAccount view) {
        return IntStream.range(0, view.stepCount()).mapToObj(view::step).toList();
    }

    @Test
    void aStepCostsWhatItsKernelsDoAsOftenAsTheyRun() {
        for (String strategy : List.of("keep-all", "sqrt")) {
            Compilation plan = compile(ROUNDS, strategy);
            assertThat(plan.plan().sections()).extracting(Section::times).containsExactly(ROUNDS, ROUNDS, 1);
            long told = 0;
            for (StepFacts step : steps(PlanAccount.of(plan))) {
                assertThat(step.times())
                        .isEqualTo(plan.plan().section(step.index()).times());
                told += step.times() * step.cost();
            }
            assertThat(plan.cost()).isEqualTo(told);
            long beside = 0;
            RooflineCost roofline = new RooflineCost(plan.target().device());
            for (int k = 0; k < plan.plan().steps().size(); k++) {
                Section section = plan.plan().section(k);
                if (!plan.plan().nameOf(section).equals("micro-batch")) {
                    beside += section.times()
                            * roofline.cost(
                                    KernelWork.of(plan.plan().steps().get(k).body()));
                }
            }
            // Kernels that were merged save launches.
            assertThat(plan.cost() - ROUNDS * plan.evaluation().cost())
                    .isGreaterThanOrEqualTo(beside)
                    .isPositive();
            assertThat(plan.overhead())
                    .isEqualTo((double) ROUNDS * plan.evaluation().recomputedCost() / plan.baselineCost());
        }
        assertThat(compile(ROUNDS, "sqrt").overhead()).isPositive();
    }

    /** By the plan's own writes and frees, section by section. */
    private static List<Long> live(ExecutionPlan plan, long alignment) {
        long inputs = plan.inputs().stream()
                .mapToLong(input -> Alignment.up(input.type().bytes(), alignment))
                .sum();
        List<Long> live = new ArrayList<>();
        for (Section section : plan.sections()) {
            Map<Long, Long> there = new LinkedHashMap<>();
            plan.inputs().forEach(input -> there.put(input.offset(), 0L));
            for (KernelStep step : plan.steps().subList(section.from(), section.to())) {
                for (MemoryWrite write : step.writes()) {
                    there.putIfAbsent(write.offset(), Alignment.up(write.type().bytes(), alignment));
                }
                live.add(inputs
                        + there.values().stream().mapToLong(Long::longValue).sum()
                        + Alignment.up(step.workspace().bytes(), alignment));
                step.freed().stream()
                        .map(ByteRange::offset)
                        .filter(offset -> there.getOrDefault(offset, 0L) > 0)
                        .forEach(there::remove);
            }
        }
        return live;
    }

    @Test
    void memoryIsThatOfThePlanStepByStep() {
        for (int rounds : new int[] {1, ROUNDS}) {
            Compilation plan = compile(rounds, "sqrt");
            PlanAccount view = PlanAccount.of(plan);
            List<Long> live = live(plan.plan(), plan.target().alignment());
            assertThat(steps(view)).extracting(StepFacts::liveBytes).isEqualTo(live);
            long most = live.stream().mapToLong(Long::longValue).max().orElseThrow();
            assertThat(view.peakStep()).isEqualTo(live.indexOf(most));
            assertThat(plan.whole().memory().peakLiveBytes()).isEqualTo(most);
            assertThat(plan.plan().arenaBytes()).isGreaterThanOrEqualTo(most);
        }
    }

    @Test
    void everythingInMemoryIsForWhatItIsFor() {
        Compilation plan = compile(ROUNDS, "keep-all");
        PlanAccount view = PlanAccount.of(plan);
        int update = plan.plan().sections().getLast().to() - 1;
        // The others add up statistics of batch norm.
        Set<String> adds = plan.plan().inputs().stream()
                .filter(input -> input.kind() == InputKind.PARAMETER)
                .map(input -> "accumulated." + input.name())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        adds.addAll(List.of("accumulated.loss", "accumulated.loss.targets"));
        Map<Kind, Long> inputs = new LinkedHashMap<>();
        for (ArenaTensor input : plan.plan().inputs()) {
            Kind kind = switch (input.kind()) {
                case PARAMETER -> Kind.PARAMETER;
                case STATE -> input.name().startsWith("optimizer.") ? Kind.OPTIMIZER : Kind.STATISTICS;
                case ACCUMULATOR -> adds.contains(input.name()) ? Kind.GRADIENT : Kind.STATISTICS;
                case DATA, STEP, SEED, MICRO_BATCH -> Kind.BATCH;
            };
            inputs.merge(kind, Alignment.up(input.type().bytes(), 256), Long::sum);
        }
        for (Kind kind : List.of(Kind.PARAMETER, Kind.OPTIMIZER, Kind.STATISTICS, Kind.BATCH)) {
            assertThat(view.step(update).live().getOrDefault(kind, 0L))
                    .as(kind.label())
                    .isEqualTo(inputs.getOrDefault(kind, 0L));
        }
        assertThat(inputs.get(Kind.GRADIENT)).isPositive();
        assertThat(view.stays(update)).noneMatch(tensor -> tensor.kind() == Kind.RETAINED);
    }

    @Test
    void plansAreToldAsTheyRun() {
        Map<?, ?> plan = json("plan", "--micro-batches", "4", "--strategy", "sqrt");
        Map<?, ?> compute = (Map<?, ?>) plan.get("compute");
        double sum = 0;
        long next = 0;
        for (Object each : (List<?>) plan.get("sections")) {
            Map<?, ?> section = (Map<?, ?>) each;
            assertThat(section.get("from")).isEqualTo(next);
            next = (Long) section.get("to");
            sum += (Double) section.get("estimatedMillis");
        }
        assertThat(((Map<?, ?>) plan.get("nodes")).get("kernels")).isEqualTo(next);
        assertThat((Double) compute.get("estimatedMillis")).isCloseTo(sum, within(1e-9));
        assertThat((Double) compute.get("estimatedMillis"))
                .isEqualTo(compile(ROUNDS, "sqrt").cost() / NANOS_PER_MILLI);
        assertThat(json("plan", "--strategy", "sqrt").get("sections")).isNull();

        String text = run("plan", "--micro-batches", "4", "--verbose");
        assertThat(text)
                .startsWith("Picky with B=16 in 4 micro-batches of 4 rows, planned for cpu")
                .contains("Retained for the backward pass of a micro-batch", " runs in a step; for ");
        assertThat(run("plan", "--micro-batches", "4")).contains(" ×4 ").contains(" runs of ");
        assertThat(run("plan")).doesNotContain("micro-batch").doesNotContain(" ×4 ");
        assertThat(run("explain", "--micro-batches", "4", "--step", "10")).contains(", run 4 times, where");
        assertThat(run("explain", "--step", "10")).doesNotContain("times");
        Map<?, ?> explained = json("explain", "--micro-batches", "4", "--step", "10");
        assertThat(((List<?>) explained.get("sections"))).hasSize(3);
        assertThat(((Map<?, ?>) explained.get("step")).get("times")).isEqualTo(4L);
    }

    @Test
    void valuesOfAllSectionsAreExplained() {
        Compilation plan = compile(ROUNDS, "sqrt");
        PlanAccount view = PlanAccount.of(plan);
        assertThat(view.values().stream()
                        .map(view::unpriced)
                        .map(facts -> facts.value().name())
                        .toList())
                .doesNotHaveDuplicates();
        for (StepFacts step : steps(view)) {
            String name = step.name().replace("'", "");
            assertThat(view.find().named(name, "VALUE")).as(name).hasSize(1);
        }
        var moment = view.unpriced(
                view.find().named("optimizer.exp_avg.head.weight", "VALUE").getFirst());
        assertThat(moment.consumers())
                .singleElement()
                .satisfies(reader -> assertThat(reader.op()).isEqualTo("update"));
        var parameter = view.unpriced(view.find().named("head.weight", "VALUE").getFirst());
        assertThat(parameter.consumers()).extracting(reader -> reader.op()).contains("matmul", "update");
    }

    @Test
    void tracesHaveEveryRound() throws IOException {
        Path trace = folder.resolve("trace.json");
        Map<?, ?> plan = json("plan", "--micro-batches", "4", "--strategy", "sqrt", "--trace", trace.toString());
        Map<?, ?> read = (Map<?, ?>) JsonTree.read(Files.readString(trace));
        double kernels = 0;
        double rounds = 0;
        long slices = 0;
        List<String> names = new ArrayList<>();
        for (Object each : (List<?>) read.get("traceEvents")) {
            Map<?, ?> event = (Map<?, ?>) each;
            if ("X".equals(event.get("ph")) && "round".equals(event.get("cat"))) {
                rounds += (Double) event.get("dur");
                names.add((String) event.get("name"));
            } else if ("X".equals(event.get("ph")) && Long.valueOf(1).equals(event.get("tid"))) {
                kernels += (Double) event.get("dur");
                slices++;
            }
        }
        double millis = (Double) ((Map<?, ?>) plan.get("compute")).get("estimatedMillis");
        assertThat(kernels).isCloseTo(1e3 * millis, within(1e-6));
        assertThat(rounds).isCloseTo(1e3 * millis, within(1e-6));
        assertThat(slices).isEqualTo(compile(ROUNDS, "sqrt").plan().runs());
        assertThat(names).hasSize(2 * ROUNDS + 1).contains("count 4 of 4", "micro-batch 1 of 4", "update");
        run("plan", "--trace", trace.toString());
        assertThat(Files.readString(trace)).doesNotContain("\"round\"");
    }

    /** An accumulator is read by each micro-batch and by the update, and no step makes it. */
    @Test
    void picturesShowAccumulatorsAsInputs() throws IOException {
        Path dot = folder.resolve("plan.dot");
        run("plan", "--micro-batches", "4", "--dot", dot.toString());
        String text = Files.readString(dot);
        Matcher input = Pattern.compile("(i\\d+) \\[shape=ellipse fillcolor=white label=\"accumulated.head.weight\"\\]")
                .matcher(text);
        assertThat(input.find()).isTrue();
        assertThat(text.lines().filter(line -> line.startsWith("  " + input.group(1) + " -> ")))
                .hasSizeGreaterThan(1);
        long steps =
                text.lines().filter(line -> line.matches("  s\\d+ \\[label=.*")).count();
        assertThat(steps).isEqualTo(compile(ROUNDS, "keep-all").plan().steps().size());
    }

    @Test
    void sweepsAndDifferencesReckonWholeSteps() {
        Map<?, ?> sweep = json("sweep", "--micro-batches", "4", "--strategies", "sqrt");
        assertThat(((Number) sweep.get("baselineCost")).longValue())
                .isEqualTo(compile(ROUNDS, "keep-all").cost());
        assertThat(sweep.get("microBatches")).isEqualTo(4L);
        assertThat(run("sweep", "--micro-batches", "4", "--strategies", "sqrt"))
                .contains("Picky with B=16 in 4 micro-batches on cpu");
        Map<?, ?> diff = json("diff", model + "@sqrt", "--micro-batches", "4");
        for (String side : List.of("a", "b")) {
            Compilation plan = compile(ROUNDS, side.equals("a") ? "keep-all" : "sqrt");
            assertThat((Double) ((Map<?, ?>) diff.get(side)).get("estimatedMillis"))
                    .isEqualTo(plan.cost() / NANOS_PER_MILLI);
        }
        Map<?, ?> sums = (Map<?, ?>) diff.get("sums");
        assertThat((Double) sums.get("recomputeMillis"))
                .isCloseTo(
                        (compile(ROUNDS, "sqrt").cost()
                                        - compile(ROUNDS, "keep-all").cost())
                                / NANOS_PER_MILLI,
                        within(1e-9));
    }
}
