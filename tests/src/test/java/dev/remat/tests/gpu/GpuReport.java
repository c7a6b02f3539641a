package dev.remat.tests.gpu;

import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.report.Table;
import dev.remat.runtime.cuda.CudaDriver;
import dev.remat.runtime.cuda.Gpu;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;

/** What a run of all cases ends in: one table for people, and the lines that make a family verified. */
final class GpuReport {
    private static final double SMALLEST_SHARE = 0.002;
    private static final double NANOS_PER_MILLI = 1e6;

    private record Row(String name, String verdict, String detail) {}

    private final Gpu gpu;
    private final List<Row> steps = new ArrayList<>();
    private final List<Row> others = new ArrayList<>();
    private final SequencedMap<String, List<KernelSpeed>> kernels = new LinkedHashMap<>();
    private Optional<CardSpeed> card = Optional.empty();
    private final List<String> problems = new ArrayList<>();

    GpuReport(Gpu gpu) {
        this.gpu = gpu;
    }

    void problem(String of, String what) {
        problems.add(of + ": " + what);
    }

    void steps(String name, CheckSteps.Findings findings, int plans) {
        CheckSteps.Distance worst = findings.worst();
        long noise = findings.distances().stream()
                .filter(CheckSteps.Distance::isNoise)
                .count();
        steps.add(new Row(
                name,
                findings.problems().isEmpty() ? "ok" : "FAILED",
                "%d plans, %s off the CPU's by %.1e, %.2f of its bound%s"
                        .formatted(
                                plans,
                                worst.name(),
                                worst.relative(),
                                worst.share(),
                                noise == 0
                                        ? ""
                                        : "; %d of %d results are rounding alone"
                                                .formatted(
                                                        noise,
                                                        findings.distances().size()))));
        findings.problems().forEach(problem -> problem(name, problem));
    }

    /** Something that was not done, and why. */
    void leftOut(String what, String why) {
        others.add(new Row(what, "left out", why));
    }

    void other(String name, String verdict, String detail) {
        others.add(new Row(name, verdict, detail));
    }

    void card(CardSpeed speed) {
        card = Optional.of(speed);
        other("copies", number("%.0f GB/s", speed.copy()), number("within the card, of %.0f at most", speed.memory()));
        other("", number("%.1f GB/s", speed.toDevice()), "to the card, from pinned memory");
        other("", number("%.1f GB/s", speed.toHost()), "from the card");
        if (speed.products() > 0) {
            other("products", number("%.0f TFLOP/s", speed.products()), "at most, of 16-bit floats");
        }
    }

    void speed(String name, MeasureSpeed.Speed speed) {
        String predicted = speed.predicted()
                .map(millis -> number("; %.3f ms predicted", millis))
                .orElse("");
        String sensors = speed.card().map(reading -> "; " + reading).orElse("");
        other(name, number("%.3f ms", speed.millis()), "a step, median" + predicted + sensors);
        kernels.put(name, speed.kernels());
    }

    /** The same step by another program in the same run. */
    void compared(String name, String by, double own, double other) {
        other(
                name,
                number("%.3f ms", other),
                "in %s; ours before and after it %.3f ms, %.2f times as fast".formatted(by, own, other / own));
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    void print(FamilyVerdicts verdicts, PrintStream out) {
        out.println(device());
        Table families = new Table("", LEFT, LEFT, RIGHT, RIGHT, LEFT);
        families.row("family", "", "results", "same bits", "of its bound");
        verdicts.all()
                .forEach((family, verdict) -> families.row(
                        family,
                        verdict.isVerified() ? "ok" : "FAILED",
                        Long.toString(verdict.results()),
                        Long.toString(verdict.equal()),
                        FamilyVerdicts.isOnTensorCores(family)
                                ? String.format(Locale.ROOT, "%.2f", verdict.worst())
                                : "bits"));
        families.print(out);
        rows(steps, out);
        rows(others, out);
        kernels.forEach((name, speeds) -> kernels(name, speeds, out));
        problems.forEach(out::println);
        out.println(problems.isEmpty() ? "all as it has to be" : problems.size() + " problems");
    }

    private static void rows(List<Row> rows, PrintStream out) {
        if (!rows.isEmpty()) {
            Table table = new Table("", LEFT, RIGHT, LEFT);
            rows.forEach(row -> table.row(row.name(), row.verdict(), row.detail()));
            out.println();
            table.print(out);
        }
        out.println();
    }

    /** Kernels that have a share worth mentioning, each beside the model and the card. */
    private void kernels(String name, List<KernelSpeed> speeds, PrintStream out) {
        double all = speeds.stream().mapToDouble(KernelSpeed::nanos).sum();
        Table table = new Table("", LEFT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT);
        table.row(name, "runs", "ms", "predicted", "GB/s", "of copies", "TFLOP/s", "of products");
        for (KernelSpeed speed : speeds) {
            if (speed.nanos() >= SMALLEST_SHARE * all) {
                table.row(
                        speed.kernels(),
                        Integer.toString(speed.runs()),
                        number("%.3f", speed.nanos() / NANOS_PER_MILLI),
                        speed.predicted() == 0 ? "" : number("%.3f", speed.predicted() / NANOS_PER_MILLI),
                        number("%.0f", speed.gigabytesPerSecond()),
                        share(speed.gigabytesPerSecond(), card.map(CardSpeed::copy)),
                        number("%.1f", speed.teraflopsPerSecond()),
                        share(speed.teraflopsPerSecond(), card.map(CardSpeed::products)));
            }
        }
        table.row("all", "", number("%.3f", all / NANOS_PER_MILLI), "", "", "", "", "");
        table.print(out);
        out.println();
    }

    private static String share(double value, Optional<Double> limit) {
        return limit.filter(most -> most > 0)
                .map(most -> number("%.0f %%", 100 * value / most))
                .orElse("");
    }

    private String device() {
        return gpu.name() + ", " + gpu.architecture() + ", driver for CUDA "
                + CudaDriver.load().version();
    }

    /** Writes the families that are verified, as the list of the code generator has them. */
    void write(FamilyVerdicts verdicts, Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        verdicts.all().forEach((family, verdict) -> {
            if (verdict.isVerified()) {
                lines.add(family + "  " + device());
            }
        });
        Files.write(file, lines);
    }

    boolean isWithoutProblem() {
        return problems.isEmpty();
    }
}
