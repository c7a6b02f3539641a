package dev.remat.cli;

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
final class ArtifactText {
    private final Manifest manifest;
    private final PrintStream out;

    ArtifactText(Manifest manifest, PrintStream out) {
        this.manifest = manifest;
        this.out = out;
    }

    /** What was built: kernels, launches, registers, spills, bytes. */
    void summary() {
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
        line("  arena    %10s   all that the step needs on the device", ByteSize.format(manifest.arenaBytes()));
        line(
                "  files    %10s   %d beside the manifest",
                ByteSize.format(manifest.bytes()), manifest.files().size());
        line(
                "  kernels  %,10d   of %d families%s",
                manifest.kernels().size(),
                manifest.kernels().stream()
                        .map(kernel -> kernel.entry().family())
                        .distinct()
                        .count(),
                unverified());
        for (String architecture : manifest.architectures()) {
            List<KernelCode> code = code(architecture);
            line(
                    "  %-8s %,10d   launches of %,d kernels with up to %d registers; %s",
                    architecture,
                    manifest.launches(architecture),
                    code.size(),
                    code.stream().mapToInt(c -> c.usage().registers()).max().orElse(0),
                    spills(code));
        }
        line("");
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
    void kernels(String architecture, List<Double> shares) {
        List<Integer> rows = IntStream.range(0, manifest.kernels().size())
                .boxed()
                .filter(row -> manifest.kernels().get(row).on(architecture).isPresent())
                .sorted(Comparator.<Integer>comparingDouble(row -> -shares.get(row)))
                .toList();
        int width = rows.stream()
                .mapToInt(row -> manifest.kernels().get(row).entry().symbol().length())
                .max()
                .orElse(6);
        line(
                "%-" + width + "s %8s %15s %9s %10s %5s %7s %7s",
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
            line(
                    "%-" + width + "s %,8d %15s %9s %10s %5d %7s %5.1f %%%s",
                    kernel.entry().symbol(),
                    use.launches(),
                    range(use.smallestGrid().count(), use.largestGrid().count()),
                    range(use.smallestBlock().count(), use.largestBlock().count()),
                    ByteSize.format(usage.sharedBytes() + (long) use.sharedBytes()),
                    usage.registers(),
                    usage.spills() ? ByteSize.format(Math.max(usage.spillStoreBytes(), usage.spillLoadBytes())) : "-",
                    100 * shares.get(row),
                    mixed && !kernel.entry().verified() ? "  unverified" : "");
        }
        line("");
    }

    private static String range(long from, long to) {
        return from == to ? String.format(Locale.ROOT, "%,d", from) : String.format(Locale.ROOT, "%,d…%,d", from, to);
    }

    void line(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values).stripTrailing());
    }
}
