package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.execution.Transfers;
import dev.remat.tests.cuda.CProgram.Run;
import dev.remat.tests.promises.TransferEdits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Steps without Java that move tensors to memory of the host: copies run beside kernels, in every order that streams
 * and events let them, to the bits of the step that keeps everything in its arena.
 */
@Tag("slow")
class CAbiLanesTest {
    private static final int STEPS = 4;
    private static final int MOST_FORGOTTEN = 8;

    @TempDir
    static Path folder;

    private static ExecutionPlan plan;
    private static int launches;
    private static CProgram program;
    private static Path kernels;
    /** Of the plan that keeps everything. */
    private static Path recording;

    @BeforeAll
    static void build() throws IOException {
        MovingPlans plans = new MovingPlans(Architecture.SM_80);
        plan = plans.moving();
        KernelProgram moving = generate(plan);
        launches = moving.launches().size();
        program = CProgram.build(plan, moving, List.of(Architecture.SM_80), folder);
        KernelProgram still = generate(plans.still());
        List<KernelSource> sources = new ArrayList<>(still.kernels());
        sources.addAll(moving.kernels());
        kernels = TestDriver.compile(sources, folder.resolve("kernels"));
        recording = folder.resolve("recording");
        ShimLibrary library = ShimLibrary.load(kernels, still.kernels());
        try (ShimExecutable executable =
                new ShimExecutable(plans.still(), still, library, ShimOrder.FORWARD, Poison.ONES)) {
            Recording.write(executable, STEPS, recording);
        }
    }

    private static KernelProgram generate(ExecutionPlan plan) {
        return CudaCodegen.generate(plan, Architecture.SM_80, CodegenOptions.DEFAULT);
    }

    private static Run run(Map<String, String> environment) throws IOException {
        return program.run(kernels, recording, environment, "--exact");
    }

    @Test
    void everyOrderGivesTheBitsOfTheStepThatMovesNothing() throws IOException {
        List<String> parameters = plan.inputs().stream()
                .filter(input -> !input.isInArena())
                .map(ArenaTensor::name)
                .toList();
        assertThat(parameters).contains("out.weight", "optimizer.exp_avg.out.weight");
        List<Transfer> transfers = plan.transfers().all();
        assertThat(transfers)
                .filteredOn(Transfer::isStore)
                .extracting(Transfer::name)
                .contains("out.weight", "h");
        assertThat(transfers)
                .filteredOn(each -> !each.isStore())
                .extracting(Transfer::name)
                .contains("h");
        for (String order : List.of("late", "early", "1", "2")) {
            Run run = run(Map.of("REMAT_TEST_ORDER", order, "REMAT_TEST_GRAPHS", "count"));
            assertThat(run.status()).as(run.out() + run.err()).isZero();
            // All but the first step are graphs, with copies among them.
            assertThat(run.err()).contains((STEPS - 1) * launches + " launches replayed");
        }
    }

    @Test
    void launchesOneByOneDoTheSame() throws IOException {
        for (Map<String, String> way : List.of(Map.of("REMAT_TEST_GRAPHS", "none"), Map.of("REMAT_SYNC", "1"))) {
            Run run = run(way);
            assertThat(run.status()).as(run.out() + run.err()).isZero();
            assertThat(run.err()).isEmpty();
        }
    }

    @Test
    void memoryOfTheHostThatCannotBePinnedIsToldWithItsSize() throws IOException {
        long bytes = plan.transfers().places().getFirst().bytes();
        Run enough = run(Map.of("REMAT_TEST_PINNED", "" + bytes));
        assertThat(enough.status()).as(enough.out() + enough.err()).isZero();
        Run less = run(Map.of("REMAT_TEST_PINNED", "" + (bytes - 1)));
        assertThat(less.status()).isOne();
        assertThat(less.err()).contains(bytes + " bytes of the host's memory cannot be pinned: out of memory");
    }

    @Test
    void aDiskIsRefused() {
        PlaceSize host = plan.transfers().places().getFirst();
        ExecutionPlan onDisk = plan.withTransfers(new Transfers(
                List.of(new PlaceSize("disk", host.bytes())), plan.transfers().events()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> generate(onDisk))
                .withMessage("a GPU moves tensors to the host's memory alone; the plan has a place 'disk'");
    }

    /**
     * Kernels that do not wait for a copy which races them, by the plan's proof, compute something else; unless what
     * comes late is there already, or nobody comes to where it is late.
     */
    @Test
    void aWaitThatIsMissingShows() throws IOException {
        List<Integer> needed = neededWaits();
        List<Integer> tried = needed.subList(0, Math.min(needed.size(), MOST_FORGOTTEN));
        int shown = 0;
        for (int wait : tried) {
            Run run = run(Map.of("REMAT_TEST_FORGET", "" + wait, "REMAT_TEST_GRAPHS", "none"));
            assertThat(run.err()).contains("a wait is forgotten");
            shown += run.status();
        }
        assertThat(shown).as("of %d waits", tried.size()).isGreaterThan(tried.size() / 2);
    }

    /**
     * Of the waits of a step, in the order in which {@code lanes.cc} asks for them, those of kernels for copies which
     * would race something otherwise. All copies end with the first half of the step, too.
     */
    private static List<Integer> neededWaits() {
        int half = plan.stepsToLosses();
        List<TransferEvent> events = new ArrayList<>();
        Map<Integer, Integer> waits = new TreeMap<>();
        Map<Integer, Transfer> begun = new TreeMap<>();
        int transfers = 0;
        int next = 0;
        boolean isSecond = false;
        for (TransferEvent event : plan.transfers().events()) {
            if (!isSecond && event.before() >= half) {
                isSecond = true;
                begun.keySet().forEach(transfer -> events.add(new Await(half, transfer)));
                next += (int)
                        begun.values().stream().map(Transfer::lane).distinct().count();
                begun.clear();
            }
            switch (event) {
                case Begin(int _, Transfer transfer) -> {
                    next += 1
                            + (int) transfer.waits().stream()
                                    .filter(begun::containsKey)
                                    .count();
                    begun.put(transfers++, transfer);
                }
                case Await(int _, int transfer) -> {
                    if (begun.containsKey(transfer)) {
                        waits.put(next++, events.size());
                    }
                }
            }
            events.add(event);
        }
        return waits.keySet().stream()
                .filter(wait -> {
                    List<TransferEvent> others = new ArrayList<>(events);
                    others.remove((int) waits.get(wait));
                    return TransferEdits.isRace(
                            plan.withTransfers(new Transfers(plan.transfers().places(), others)));
                })
                .toList();
    }
}
