package dev.remat.cli.report;

import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.console.ByteSize;
import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.KernelCode;
import dev.remat.ir.artifact.KernelUsage;
import dev.remat.ir.artifact.LaunchUse;
import dev.remat.ir.artifact.Manifest;
import dev.remat.ir.diagnostic.Count;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** An artifact as people read it. */
public final class ArtifactText {
    private final Manifest manifest;
    private final PrintStream out;

    public ArtifactText(Manifest manifest, PrintStream out) {
        this.manifest = manifest;
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

    /**
     * The kernels of one architecture, those first that do most of the arithmetic.
     *
     * @param shares of the step's operations, by rows of the table
     */
    public void kernels(String architecture, List<Double> shares) {
        List<Integer> rows = IntStream.range(0, manifest.kernels().size())
                .boxed()
                .filter(row -> manifest.kernels().get(row).on(architecture).isPresent())
                .sorted(Comparator.<Integer>comparingDouble(row -> -shares.get(row)))
                .toList();
        Table table = new Table("", LEFT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, LEFT)
                .row(
                        "Kernel on " + architecture,
                        "launches",
                        "blocks",
                        "threads",
                        "shared",
                        "regs",
                        "spilled",
                        "FLOPs");
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
                    count(use.launches()),
                    range(use.smallestGrid().count(), use.largestGrid().count()),
                    range(use.smallestBlock().count(), use.largestBlock().count()),
                    ByteSize.format(usage.sharedBytes() + (long) use.sharedBytes()),
                    String.valueOf(usage.registers()),
                    usage.spills() ? ByteSize.format(Math.max(usage.spillStoreBytes(), usage.spillLoadBytes())) : "-",
                    String.format(Locale.ROOT, "%.1f %%", 100 * shares.get(row)),
                    mixed && !kernel.entry().verified() ? "unverified" : "");
        }
        table.line("").print(out);
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
