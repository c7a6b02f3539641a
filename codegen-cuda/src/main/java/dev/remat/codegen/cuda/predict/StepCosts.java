package dev.remat.codegen.cuda.predict;

import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.CorruptArtifactException;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.execution.Section;
import dev.remat.ir.target.KernelProfile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * What a training step costs on one architecture, by kernel; what is run in rounds, all rounds together.
 *
 * @param model that predicted times; empty where there is none of the architecture
 * @param kernels by rows of the artifact's table
 * @param sections by sections of the plan, in their order
 * @param tensorBytes of all tensors that steps of the plan read and write, each once a step, without scratch memory
 */
public record StepCosts(
        Optional<SassModel> model,
        List<CostSum> kernels,
        Map<KernelGroup, CostSum> groups,
        SequencedMap<Section, CostSum> sections,
        long tensorBytes) {
    /**
     * Costs of {@code device}'s launches.
     *
     * @throws CorruptArtifactException if its cubin is damaged
     */
    public static StepCosts of(Artifact artifact, DeviceCode device) {
        List<ArtifactKernel> rows = artifact.manifest().kernels();
        List<CostSum> kernels = new ArrayList<>(Collections.nCopies(rows.size(), CostSum.NOTHING));
        Map<KernelGroup, CostSum> groups = new EnumMap<>(KernelGroup.class);
        SequencedMap<Section, CostSum> sections = new LinkedHashMap<>();
        artifact.plan().sections().forEach(section -> sections.put(section, CostSum.NOTHING));
        long tensorBytes = 0;
        List<LaunchCost> costs = PredictLaunches.run(artifact, device);
        for (StepRun run : StepRun.of(device.launches(), artifact.plan())) {
            List<LaunchCost> own =
                    costs.subList(run.first(), run.first() + run.launches().size());
            double executed = own.stream().mapToDouble(LaunchCost::flops).sum();
            for (int i = 0; i < own.size(); i++) {
                LaunchCost cost = own.get(i);
                double share = executed == 0 ? 1.0 / own.size() : cost.flops() / executed;
                CostSum all = new CostSum(
                                1, cost.traffic().bytes(), cost.nanos().orElse(0), share * run.flops())
                        .times(run.times());
                int row = run.launches().get(i).kernel();
                kernels.set(row, kernels.get(row).plus(all));
                groups.merge(KernelGroup.of(rows.get(row).entry()), all, CostSum::plus);
                sections.merge(run.section(), all, CostSum::plus);
            }
            tensorBytes += run.times() * run.tensorBytes();
        }
        return new StepCosts(SassModel.of(device.architecture()), kernels, groups, sections, tensorBytes);
    }

    /**
     * What {@code device}'s launches cost one after another, those of a step of the plan together.
     *
     * @throws CorruptArtifactException if its cubin is damaged
     */
    public static List<RunCost> runs(Artifact artifact, DeviceCode device) {
        List<LaunchCost> costs = PredictLaunches.run(artifact, device);
        List<RunCost> runs = new ArrayList<>();
        for (StepRun run : StepRun.of(device.launches(), artifact.plan())) {
            CostSum sum = new CostSum(0, 0, 0, run.flops());
            List<String> kernels = new ArrayList<>();
            for (int i = 0; i < run.launches().size(); i++) {
                LaunchCost cost = costs.get(run.first() + i);
                sum = sum.plus(
                        new CostSum(1, cost.traffic().bytes(), cost.nanos().orElse(0), 0));
                ArtifactKernel kernel =
                        artifact.manifest().kernels().get(run.launches().get(i).kernel());
                kernels.add(kernel.entry().symbol());
            }
            int from = run.launches().getFirst().step();
            runs.add(new RunCost(from, from + run.steps().size(), kernels, sum.times(run.times())));
        }
        return runs;
    }

    public CostSum total() {
        return groups.values().stream().reduce(CostSum.NOTHING, CostSum::plus);
    }

    /** Share of the step's operations that the kernel in {@code row} carries out. */
    public double flopsShare(int row) {
        double all = total().flops();
        return all == 0 ? 0 : kernels.get(row).flops() / all;
    }

    /** Time between all launches, in milliseconds. */
    public double gapMillis() {
        return gapMillis(total());
    }

    private double gapMillis(CostSum sum) {
        return model.map(rates -> sum.launches() * rates.launchNanos() / 1e6).orElse(0.0);
    }

    /** Time of all rounds of a section with what passes between its launches, in milliseconds. */
    public double millis(Section section) {
        CostSum sum = sections.get(section);
        return sum.millis() + gapMillis(sum);
    }

    /** Time of the whole step, in milliseconds. */
    public double millis() {
        return total().millis() + gapMillis();
    }

    /**
     * The predicted times as {@code --costs FILE} takes them; empty where there is no model.
     *
     * @throws CorruptArtifactException if the cubin is damaged
     */
    public static Optional<KernelProfile> profile(Artifact artifact, DeviceCode device) {
        return SassModel.of(device.architecture())
                .map(model -> PredictedProfile.of(artifact, device, model, PredictLaunches.run(artifact, device)));
    }
}
