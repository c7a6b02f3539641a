package dev.remat.cli.report;

import static dev.remat.cli.console.Format.percent;
import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.console.ByteSize;
import dev.remat.codegen.cuda.predict.CostSum;
import dev.remat.codegen.cuda.predict.StepCosts;
import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.KernelCode;
import dev.remat.ir.artifact.KernelUsage;
import dev.remat.ir.artifact.LaunchUse;
import dev.remat.ir.artifact.Manifest;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.plan.Lane;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** An artifact as people read it. */
public final class ArtifactText {
    private final Manifest manifest;
    private final ExecutionPlan plan;
    private final PrintStream out;

    public ArtifactText(Manifest manifest, ExecutionPlan plan, PrintStream out) {
        this.manifest = manifest;
        this.plan = plan;
        this.out = out;
    }

    /** What was built: kernels, launches, registers, spills, bytes. */
    public void summary() {
        String settings = manifest.build().settings().entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .collect(Collectors.joining(", "));
        line(
                "%s%s, planned for %s by %s",
                manifest.model(),
                settings.isEmpty() ? "" : " with " + settings,
                String.join(", ", manifest.architectures()),
                manifest.build().strategy());
        line("");
        Table table = new Table("  ", LEFT, RIGHT, LEFT)
                .row("arena", ByteSize.format(manifest.arenaBytes()), "all that the step needs on the device")
                .row(
                        "files",
                        ByteSize.format(manifest.bytes()),
                        manifest.files().size() + " beside the manifest");
        plan.transfers()
                .places()
                .forEach(place -> table.row("on the " + place.name(), ByteSize.format(place.bytes()), moved()));
        if (plan.microBatches() > 1) {
            table.row("micro-batches", count(plan.microBatches()), "a step, one after another");
        }
        long families = manifest.kernels().stream()
                .map(kernel -> kernel.entry().family())
                .distinct()
                .count();
        table.row("kernels", count(manifest.kernels().size()), "of " + families + " families" + unverified());
        for (String architecture : manifest.architectures()) {
            List<KernelCode> code = code(architecture);
            String use = String.format(
                    Locale.ROOT,
                    "launches of %,d kernels with up to %d registers; %s",
                    code.size(),
                    code.stream().mapToInt(c -> c.usage().registers()).max().orElse(0),
                    spills(code));
            table.row(architecture, count(manifest.launches(architecture)), use);
        }
        table.line("").print(out);
    }

    /** What a step moves out of the arena and back. */
    private String moved() {
        long living = plan.inputs().stream()
                .filter(input -> !input.isInArena())
                .map(ArenaTensor::whole)
                .distinct()
                .count();
        return "pinned; " + ByteSize.format(movedBytes(Lane.STORE)) + " stored and "
                + ByteSize.format(movedBytes(Lane.FETCH)) + " fetched a step"
                + (living == 0
                        ? ""
                        : "; " + Count.of(living, "tensor") + (living == 1 ? " lives" : " live") + " there");
    }

    private long movedBytes(Lane lane) {
        long bytes = 0;
        for (TransferEvent event : plan.transfers().events()) {
            if (event instanceof TransferEvent.Begin(int before, Transfer transfer) && transfer.lane() == lane) {
                int step = Math.min(before, plan.steps().size() - 1);
                bytes += plan.section(step).times() * transfer.range().bytes();
            }
        }
        return bytes;
    }

    private String unverified() {
        long count = manifest.kernels().stream()
                .filter(kernel -> !kernel.entry().verified())
                .count();
        String which = count == manifest.kernels().size() ? "none has" : count + " have not";
        return count == 0 ? "" : "; " + which + " run on a real GPU yet";
    }

    private static String spills(List<KernelCode> code) {
        long count = code.stream().filter(c -> c.usage().spills()).count();
        return count == 0 ? "no spills" : Count.of(count, "kernel") + (count == 1 ? " spills" : " spill");
    }

    private List<KernelCode> code(String architecture) {
        return manifest.kernels().stream()
                .flatMap(kernel -> kernel.on(architecture).stream())
                .toList();
    }

    /** The kernels of one architecture, those first that take or compute most, and what they cost together. */
    public void kernels(String architecture, StepCosts costs) {
        boolean timed = costs.model().isPresent();
        List<Integer> rows = IntStream.range(0, manifest.kernels().size())
                .boxed()
                .filter(row -> manifest.kernels().get(row).on(architecture).isPresent())
                .sorted(Comparator.<Integer>comparingDouble(
                                row -> -costs.kernels().get(row).nanos())
                        .thenComparingDouble(row -> -costs.flopsShare(row)))
                .toList();
        Table table = new Table("", LEFT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, LEFT)
                .row(
                        "Kernel on " + architecture,
                        "launches",
                        "blocks",
                        "threads",
                        "shared",
                        "regs",
                        "spilled",
                        "FLOPs",
                        "bytes",
                        timed ? "ms" : "");
        boolean mixed = manifest.kernels().stream()
                        .map(k -> k.entry().verified())
                        .distinct()
                        .count()
                > 1;
        for (int row : rows) {
            ArtifactKernel kernel = manifest.kernels().get(row);
            KernelCode code = kernel.on(architecture).orElseThrow();
            LaunchUse use = code.use();
            KernelUsage usage = code.usage();
            table.row(
                    kernel.entry().symbol(),
                    count(costs.kernels().get(row).launches()),
                    range(use.smallestGrid().count(), use.largestGrid().count()),
                    range(use.smallestBlock().count(), use.largestBlock().count()),
                    ByteSize.format(usage.sharedBytes() + (long) use.sharedBytes()),
                    String.valueOf(usage.registers()),
                    usage.spills() ? ByteSize.format(Math.max(usage.spillStoreBytes(), usage.spillLoadBytes())) : "-",
                    percent(costs.flopsShare(row)),
                    ByteSize.format(costs.kernels().get(row).bytes()),
                    timed ? millis(costs.kernels().get(row).millis()) : "",
                    mixed && !kernel.entry().verified() ? "unverified" : "");
        }
        table.line("").print(out);
        groups(architecture, costs);
    }

    private void groups(String architecture, StepCosts costs) {
        String heading = costs.model()
                .map(model -> "Step on " + architecture + ": ms predicted by " + model.name() + " for an "
                        + model.card() + ", not measured")
                .orElse("Step on " + architecture);
        boolean timed = costs.model().isPresent();
        line("%s", heading);
        Table table = new Table("  ", LEFT, RIGHT, LEFT, RIGHT, RIGHT);
        costs.groups()
                .forEach((group, sum) -> table.row(
                        group.label(),
                        count(sum.launches()),
                        "launches",
                        ByteSize.format(sum.bytes()),
                        timed ? millis(sum.millis()) : ""));
        if (timed) {
            table.row("between them", "", "", "", millis(costs.gapMillis()));
        }
        CostSum total = costs.total();
        table.row(
                        "together",
                        count(total.launches()),
                        "launches",
                        ByteSize.format(total.bytes()),
                        timed ? millis(costs.millis()) : "")
                .line("")
                .print(out);
        if (plan.microBatches() > 1) {
            sections(costs);
        }
    }

    /** Where a batch is cut: how often each part of the step runs. */
    private void sections(StepCosts costs) {
        Table table = new Table("  ", LEFT, RIGHT, LEFT, RIGHT, RIGHT);
        costs.sections()
                .forEach((section, sum) -> table.row(
                        plan.nameOf(section) + (section.times() == 1 ? ", once" : ", " + section.times() + " times"),
                        count(sum.launches()),
                        "launches",
                        ByteSize.format(sum.bytes()),
                        costs.model().isPresent() ? millis(costs.millis(section)) : ""));
        table.line("").print(out);
    }

    private static String millis(double millis) {
        return String.format(Locale.ROOT, millis < 1 ? "%.3f" : millis < 10 ? "%.2f" : "%.1f", millis);
    }

    /** The files beside the manifest. */
    public void files() {
        Table table = new Table("", LEFT, RIGHT, LEFT).row("File", "size", "SHA-256");
        manifest.files().forEach(file -> table.row(file.name(), ByteSize.format(file.bytes()), file.sha256()));
        table.line("").print(out);
    }

    private static String range(long from, long to) {
        return from == to ? count(from) : count(from) + "…" + count(to);
    }

    private static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    public void line(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values).stripTrailing());
    }
}
