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
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a run of all cases ends in: one table for people, and the lines that make a family verified. */
final class GpuReport {
    private record Row(String name, String verdict, String detail) {}

    private final Gpu gpu;
    private final List<Row> steps = new ArrayList<>();
    private final List<Row> speeds = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    GpuReport(Gpu gpu) {
        this.gpu = gpu;
    }

    void problem(String of, String what) {
        problems.add(of + ": " + what);
    }

    void steps(String name, CheckSteps.Findings findings, int plans) {
        steps.add(new Row(
                name,
                findings.problems().isEmpty() ? "ok" : "FAILED",
                "%d plans, %.1e off the CPU at most".formatted(plans, findings.worst())));
        findings.problems().forEach(problem -> problem(name, problem));
    }

    void speed(String name, MeasureSpeed.Speed speed) {
        String predicted = speed.predicted()
                .map(millis -> String.format(Locale.ROOT, "; %.3f ms predicted", millis))
                .orElse("");
        speeds.add(new Row(name, String.format(Locale.ROOT, "%.3f ms", speed.millis()), "a step, median" + predicted));
        speed.byFamily().entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .forEach(entry -> speeds.add(
                        new Row("", String.format(Locale.ROOT, "%.3f ms", entry.getValue()), entry.getKey())));
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
        rows(speeds, out);
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
