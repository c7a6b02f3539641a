package dev.remat.tests.cuda;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.graph.InputKind;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Rounds;
import dev.remat.runtime.train.TrainingState;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** Training steps on synthetic data as a file, for {@code run_step.cc}, which tells the format. */
final class Recording {
    private final Executable executable;
    private final ExecutionPlan plan;
    private final OutputStream out;

    /** The plan whose state is told. */
    private final ExecutionPlan told;

    private Recording(Executable executable, ExecutionPlan told, OutputStream out) {
        this.executable = executable;
        this.plan = executable.plan();
        this.told = told;
        this.out = out;
    }

    /** Trains {@code steps} steps from initial values. */
    static void write(Executable executable, int steps, Path file) throws IOException {
        write(executable, executable.plan(), steps, file);
    }

    /** @param told a plan of the same step, which may have state in slices where the executable's has it whole */
    static void write(Executable executable, ExecutionPlan told, int steps, Path file) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)) {
            new Recording(executable, told, out).run(steps);
        }
    }

    private void run(int steps) throws IOException {
        header(steps);
        InputFeed feed = new InputFeed(executable, new SyntheticDataset().training(InputFeed.specs(plan), plan.seed()));
        Rounds rounds = Rounds.of(executable, feed);
        new TrainingState(executable).initialize();
        contents(persistent());
        for (int step = 1; step <= steps; step++) {
            batch(feed, step);
            rounds.run(step);
            loss();
        }
        contents(persistent());
    }

    /** All rows of the step's batch, tensor by tensor. */
    private void batch(InputFeed feed, int step) throws IOException {
        SequencedMap<ArenaTensor, ByteArrayOutputStream> rows = new LinkedHashMap<>();
        data().forEach(tensor -> rows.put(tensor, new ByteArrayOutputStream()));
        for (int k = 0; k < plan.microBatches(); k++) {
            feed.feed((step - 1L) * plan.microBatches() + k, step, k);
            rows.forEach((tensor, bytes) -> bytes.writeBytes(bytes(tensor)));
        }
        for (ByteArrayOutputStream bytes : rows.values()) {
            bytes.writeTo(out);
        }
    }

    private void header(int steps) throws IOException {
        List<String> lines = new ArrayList<>(List.of("remat-recording/1"));
        state("initial/", lines);
        for (int step = 1; step <= steps; step++) {
            for (ArenaTensor tensor : data()) {
                lines.add(line(
                        "batch." + step + "/" + tensor.name(),
                        plan.microBatches() * tensor.type().bytes()));
            }
            lines.add(line("loss." + step, Double.BYTES));
        }
        state("final/", lines);
        out.write((String.join("\n", lines) + "\n\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Rows of a tensor lie one after the other. */
    private void state(String when, List<String> lines) {
        for (ArenaTensor tensor : persistent()) {
            told.inputs().stream()
                    .filter(piece -> piece.whole().equals(tensor.name()))
                    .sorted(Comparator.comparingLong(ArenaTensor::firstRow))
                    .forEach(piece ->
                            lines.add(line(when + piece.name(), piece.type().bytes())));
        }
    }

    private static String line(String name, long bytes) {
        return name + " " + bytes;
    }

    private List<ArenaTensor> persistent() {
        return plan.inputs().stream()
                .filter(input -> input.kind().isPersistent())
                .toList();
    }

    private List<ArenaTensor> data() {
        return plan.inputs().stream()
                .filter(input -> input.kind() == InputKind.DATA)
                .toList();
    }

    private void contents(List<ArenaTensor> tensors) throws IOException {
        for (ArenaTensor tensor : tensors) {
            out.write(bytes(tensor));
        }
    }

    private byte[] bytes(ArenaTensor tensor) {
        return executable.read(tensor.offset(), tensor.type().bytes()).toArray(ValueLayout.JAVA_BYTE);
    }

    private void loss() throws IOException {
        PlanOutput output = plan.output(ExecutionPlan.LOSS);
        MemorySegment value = executable.read(output.offset(), output.type().bytes());
        double loss = switch (output.type().dtype()) {
            case F64 -> value.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 0);
            case F32 -> value.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0);
            case F16 -> Float.float16ToFloat(value.get(ValueLayout.JAVA_SHORT_UNALIGNED, 0));
            case BF16 -> Float.intBitsToFloat(value.get(ValueLayout.JAVA_SHORT_UNALIGNED, 0) << 16);
            case I32, I64, BOOL, BIT, SEED -> throw new IllegalStateException("a loss is no " + output.type());
        };
        byte[] bytes = new byte[Double.BYTES];
        MemorySegment.ofArray(bytes).set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 0, loss);
        out.write(bytes);
    }
}
