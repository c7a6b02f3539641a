package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.OpCase;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Many steps whose kernels are generated first and then compiled together. */
final class StepSuite {
    /** A case and its kernels. */
    record Entry(OpCase sample, ShimStep step, String options) {
        @Override
        public String toString() {
            return options + " " + sample;
        }
    }

    private static final int UNITS = 8;

    private final List<Entry> entries = new ArrayList<>();
    private ShimPool pool;

    /**
     * Generates the kernels of every case.
     *
     * @param name of the options, for reports
     */
    void add(List<OpCase> cases, Architecture architecture, CodegenOptions options, String name) {
        for (OpCase sample : cases) {
            entries.add(new Entry(sample, ShimStep.of(sample.sample(), architecture, options), name));
        }
    }

    void compile() {
        List<KernelSource> kernels = new ArrayList<>();
        entries.forEach(entry -> kernels.addAll(entry.step.program().kernels()));
        pool = new ShimPool(kernels, UNITS, KernelBuild.WATCHED);
    }

    List<Entry> entries() {
        return entries;
    }

    /** Runs one step in several orders and compares with the reference. */
    void check(Entry entry) {
        entry.sample.check(results(entry));
    }

    /** Runs one step in several orders. */
    List<Tensor> results(Entry entry) {
        return pool.with(entry.step::run);
    }

    void expectThatEveryKernelWasExecuted() {
        TreeSet<String> emitted = new TreeSet<>();
        entries.forEach(entry -> entry.step.program().kernels().forEach(kernel -> emitted.add(kernel.symbol())));
        assertThat(pool.executed()).isEqualTo(emitted);
    }
}
