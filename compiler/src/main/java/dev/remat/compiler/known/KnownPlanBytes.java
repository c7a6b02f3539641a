package dev.remat.compiler.known;

import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RetainReason;
import dev.remat.ir.plan.RetainedValue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** A {@link KnownPlan} as bytes, for this very version of remat to read. */
public final class KnownPlanBytes {
    private KnownPlanBytes() {}

    /** The same plan has the same bytes. */
    public static byte[] write(KnownPlan plan) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(plan.problem());
            out.writeBoolean(plan.stateBelow());
            write(plan.sequence(), out);
            out.writeLong(plan.cost());
            out.writeInt(plan.layouts().size());
            for (List<Long> offsets : plan.layouts()) {
                out.writeInt(offsets.size());
                for (long offset : offsets) {
                    out.writeLong(offset);
                }
            }
            out.writeLong(plan.bytes());
            out.writeBoolean(plan.budgetBytes().isPresent());
            out.writeLong(plan.budgetBytes().orElse(0));
            out.writeLong(plan.keepAllBytes());
            out.writeLong(plan.smallestFoundBytes());
            out.writeLong(plan.bound().cost());
            out.writeBoolean(plan.bound().scope().givenOrder());
            out.writeBoolean(plan.bound().scope().orderedRecomputations());
            out.writeInt(plan.bound().scope().mostComputations());
            out.writeInt(plan.tighteningRounds());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(OperatorSequence sequence, DataOutputStream out) throws IOException {
        out.writeUTF(sequence.strategy());
        out.writeInt(sequence.length());
        for (int step : sequence.steps().toArray()) {
            out.writeInt(step);
        }
        out.writeInt(sequence.retained().size());
        for (RetainedValue retained : sequence.retained()) {
            out.writeInt(retained.value());
            out.writeUTF(retained.reason().label());
        }
    }

    /** @throws IllegalArgumentException if the bytes are not what {@link #write} wrote */
    public static KnownPlan read(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            KnownPlan plan = new KnownPlan(
                    in.readUTF(),
                    in.readBoolean(),
                    readSequence(in),
                    in.readLong(),
                    readLayouts(in),
                    in.readLong(),
                    readOptional(in),
                    in.readLong(),
                    in.readLong(),
                    new LowerBound(in.readLong(), new BoundScope(in.readBoolean(), in.readBoolean(), in.readInt())),
                    in.readInt());
            if (in.read() >= 0) {
                throw new IllegalArgumentException("it does not end where it should");
            }
            return plan;
        } catch (IOException e) {
            throw new IllegalArgumentException("it ends too early", e);
        }
    }

    private static OperatorSequence readSequence(DataInputStream in) throws IOException {
        String strategy = in.readUTF();
        int[] steps = new int[count(in, Integer.BYTES)];
        for (int t = 0; t < steps.length; t++) {
            steps[t] = in.readInt();
        }
        int count = count(in, Integer.BYTES);
        List<RetainedValue> retained = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            retained.add(new RetainedValue(in.readInt(), RetainReason.ofLabel(in.readUTF())));
        }
        return new OperatorSequence(strategy, steps, retained);
    }

    private static List<List<Long>> readLayouts(DataInputStream in) throws IOException {
        int count = count(in, Integer.BYTES);
        List<List<Long>> layouts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int buffers = count(in, Long.BYTES);
            List<Long> offsets = new ArrayList<>(buffers);
            for (int b = 0; b < buffers; b++) {
                offsets.add(in.readLong());
            }
            layouts.add(List.copyOf(offsets));
        }
        return layouts;
    }

    private static OptionalLong readOptional(DataInputStream in) throws IOException {
        boolean isPresent = in.readBoolean();
        long number = in.readLong();
        return isPresent ? OptionalLong.of(number) : OptionalLong.empty();
    }

    /** How many follow, each of so many bytes at least; no more than there are. */
    private static int count(DataInputStream in, int bytes) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > in.available() / bytes) {
            throw new IllegalArgumentException("it counts " + count + " where there are not so many");
        }
        return count;
    }
}
