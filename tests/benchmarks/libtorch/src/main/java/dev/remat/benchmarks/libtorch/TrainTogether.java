package dev.remat.benchmarks.libtorch;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.ProcessGroup;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.DeviceType;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.bytedeco.pytorch.global.torch_gloo;

/**
 * Trains a twin on one batch together with other processes, as {@link DataParallel} does, and prints a line of JSON a
 * step. Of the batch's micro-batches, a rank computes those that a rank of remat computes.
 */
public final class TrainTogether {
    private static final String USAGE = "MODEL SETTINGS STEPS MICRO_BATCHES RANK RANKS FILE INTERFACE [bf16]";
    private static final int WORDS = 8;

    private final Twin twin;
    private final Sizes sizes;
    private final Layers layers = new Layers(ScalarType.Float, false);
    private final int microBatches;
    private final int ranks;

    private TrainTogether(Twin twin, Sizes sizes, int microBatches, int ranks) {
        this.twin = twin;
        this.sizes = sizes;
        this.microBatches = microBatches;
        this.ranks = ranks;
    }

    /** @param words {@value #USAGE} */
    public static void main(String[] words) {
        if (words.length < WORDS || !Twin.ALL.containsKey(words[0])) {
            System.err.println(USAGE + "; models: " + String.join(", ", Twin.ALL.keySet()));
            System.exit(2);
        }
        Loader.load(torch_gloo.class);
        Libtorch.load(1);
        torch.set_autocast_enabled(DeviceType.CPU, words.length > WORDS && words[WORDS].equals("bf16"));
        torch.set_autocast_dtype(DeviceType.CPU, ScalarType.BFloat16);
        Sizes sizes = Sizes.parse(words[1]);
        int ranks = Integer.parseInt(words[5]);
        TrainTogether training = new TrainTogether(Twin.ALL.get(words[0]), sizes, Integer.parseInt(words[3]), ranks);
        training.run(Integer.parseInt(words[2]), Integer.parseInt(words[4]), words[6], words[7]);
    }

    @SuppressWarnings("try") // A scope is there for what is made while it is open.
    private void run(int steps, int rank, String meeting, String network) {
        ProcessGroup group = DataParallel.group(rank, ranks, meeting, network);
        try (PointerScope all = new PointerScope()) {
            torch.manual_seed(1);
            SequencedMap<String, Tensor> batch = twin.batch().draw(sizes);
            try (PointerScope drawn = new PointerScope()) {
                // A loss that nobody differentiates has all parameters drawn.
                twin.forward().loss(layers, sizes, rows(batch, 0));
            }
            TensorVector parameters =
                    new TensorVector(layers.parameters().values().toArray(Tensor[]::new));
            Optimizer optimizer = twin.rule().over(parameters);
            DataParallel parallel = new DataParallel(parameters, group);
            for (int step = 1; step <= steps; step++) {
                long start = System.nanoTime();
                double loss = step(batch, parameters, optimizer, parallel);
                double millis = (System.nanoTime() - start) / 1e6;
                System.out.printf(
                        Locale.ROOT, "{\"step\": %d, \"loss\": %.6f, \"millis\": %.3f}%n", step, loss, millis);
            }
            double sum = 0;
            for (Tensor parameter : layers.parameters().values()) {
                sum += parameter.to(ScalarType.Double).abs().sum().item_double();
            }
            // Ranks that have added up the same gradients have the same.
            System.out.printf(Locale.ROOT, "{\"done\": true, \"parameters\": %s}%n", sum);
        }
        System.out.flush();
        // Threads of the group would wait for those of others that are gone.
        Runtime.getRuntime().halt(0);
    }

    private Map<String, Tensor> rows(SequencedMap<String, Tensor> batch, int microBatch) {
        SequencedMap<String, Tensor> rows = new LinkedHashMap<>();
        batch.forEach((name, value) -> {
            long count = value.size(0) / microBatches;
            rows.put(name, value.narrow(0, microBatch * count, count));
        });
        return rows;
    }

    /** Mean of the losses of this rank's micro-batches. */
    @SuppressWarnings("try")
    private double step(
            SequencedMap<String, Tensor> batch, TensorVector parameters, Optimizer optimizer, DataParallel parallel) {
        try (PointerScope made = new PointerScope()) {
            optimizer.zero_grad();
            double sum = 0;
            int rounds = microBatches / ranks;
            for (int round = 0; round < rounds; round++) {
                boolean last = round == rounds - 1;
                Map<String, Tensor> rows = rows(batch, round * ranks + parallel.rank());
                if (last) {
                    parallel.beforeForward();
                }
                Tensor loss = Layers.within(() -> twin.forward().loss(layers, sizes, rows));
                if (last) {
                    parallel.beforeBackward();
                }
                loss.div(new Scalar((double) rounds)).backward();
                sum += loss.item_double();
            }
            if (twin.clipNorm() > 0) {
                torch.clip_grad_norm_(parameters, twin.clipNorm());
            }
            optimizer.step();
            return sum / rounds;
        }
    }
}
