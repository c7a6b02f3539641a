package dev.remat.tests.replay;

import dev.remat.codegen.cuda.emit.ComposeSource;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.compiler.plan.Proposal;
import dev.remat.ir.artifact.ContentHash;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RetainedValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What compilations made, as short hashes: a line a plan in the order in which they were added, then a line a kernel
 * and a line a header, by name. Renaming a class or a method changes nothing here.
 */
final class ReplayText {
    /** Hexadecimal digits of a hash that are shown. */
    private static final int DIGITS = 12;

    private final List<String> plans = new ArrayList<>();
    private final SortedMap<String, String> kernels = new TreeMap<>();
    private final SortedMap<String, String> headers = new TreeMap<>();

    /** @param name of words that tell this compilation from all others, separated by spaces */
    void add(String name, Proposal proposal, ExecutionPlan plan, List<KernelProgram> programs) {
        StringBuilder line = new StringBuilder("plan ").append(name);
        line.append(" arena=").append(plan.arenaBytes());
        line.append(" cost=").append(proposal.evaluation().cost());
        line.append(" sequence=").append(hash(text(proposal.sequence())));
        line.append(" plan=").append(ExecutionPlanJson.hash(plan), 0, DIGITS);
        if (!programs.isEmpty()) {
            String launches = programs.stream().map(ReplayText::launches).collect(Collectors.joining("\n"));
            line.append(" launches=").append(hash(launches));
        }
        plans.add(line.toString());
        programs.forEach(program -> program.kernels().forEach(this::add));
    }

    void addRefused(String name) {
        plans.add("plan " + name + " refused");
    }

    private void add(KernelSource kernel) {
        String hash = hash(kernel.headers() + "\n" + kernel.entry().parameters() + "\n" + kernel.text());
        String known = kernels.put(kernel.symbol(), hash);
        if (known != null && !known.equals(hash)) {
            throw new IllegalStateException("two kernels are called " + kernel.symbol());
        }
        kernel.headers().forEach(this::addHeader);
    }

    private void addHeader(String header) {
        if (!headers.containsKey(header)) {
            headers.put(header, hash(ComposeSource.resource(header)));
        }
    }

    void addAll(ReplayText other) {
        plans.addAll(other.plans);
        kernels.putAll(other.kernels);
        headers.putAll(other.headers);
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>(plans);
        kernels.forEach((symbol, hash) -> lines.add("kernel " + symbol + " " + hash));
        headers.forEach((name, hash) -> lines.add("header " + name + " " + hash));
        return lines;
    }

    private static String text(OperatorSequence sequence) {
        String steps = sequence.steps().mapToObj(String::valueOf).collect(Collectors.joining(" "));
        String retained = sequence.retained().stream()
                .map(RetainedValue::value)
                .map(String::valueOf)
                .collect(Collectors.joining(" "));
        return sequence.strategy() + "\n" + steps + "\n" + retained;
    }

    private static String launches(KernelProgram program) {
        StringBuilder text = new StringBuilder();
        for (Launch launch : program.launches()) {
            text.append(launch.step()).append(' ');
            text.append(program.kernels().get(launch.kernel()).symbol()).append(' ');
            text.append(launch.grid()).append(' ').append(launch.block()).append(' ');
            text.append(launch.sharedBytes()).append(' ');
            text.append(launch.arguments()).append('\n');
        }
        return text.toString();
    }

    private static String hash(String text) {
        return ContentHash.of(text.getBytes(StandardCharsets.UTF_8)).substring(0, DIGITS);
    }
}
