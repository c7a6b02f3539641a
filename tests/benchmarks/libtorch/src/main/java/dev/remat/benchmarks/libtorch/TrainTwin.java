package dev.remat.benchmarks.libtorch;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.DeviceType;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Trains a twin on one batch and prints a line of JSON a step, as {@code remat train --json} does. */
public final class TrainTwin {
    private static final String USAGE = "MODEL SETTINGS STEPS THREADS [channels-last] [bf16]";

    private TrainTwin() {}

    /** @param words {@value #USAGE} */
    public static void main(String[] words) throws IOException {
        if (words.length < 4 || !Twin.ALL.containsKey(words[0])) {
            System.err.println(USAGE + "; models: " + String.join(", ", Twin.ALL.keySet()));
            System.exit(2);
        }
        Libtorch.load(Integer.parseInt(words[3]));
        Map<String, Boolean> flags = new TreeMap<>();
        for (int i = 4; i < words.length; i++) {
            flags.put(words[i], true);
        }
        boolean half = flags.getOrDefault("bf16", false);
        torch.set_autocast_enabled(DeviceType.CPU, half);
        torch.set_autocast_dtype(DeviceType.CPU, ScalarType.BFloat16);
        Layers layers = new Layers(ScalarType.Float, flags.getOrDefault("channels-last", false));
        train(Twin.ALL.get(words[0]), Sizes.parse(words[1]), layers, Integer.parseInt(words[2]));
    }

    @SuppressWarnings("try") // A scope is there for what is made while it is open.
    private static void train(Twin twin, Sizes sizes, Layers layers, int steps) {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        try (PointerScope all = new PointerScope()) {
            torch.manual_seed(1);
            SequencedMap<String, Tensor> batch = twin.batch().draw(sizes);
            batch.replaceAll((name, value) -> layers.image(value));
            parameters(twin, sizes, layers, batch);
            TensorVector parameters =
                    new TensorVector(layers.parameters().values().toArray(Tensor[]::new));
            Optimizer optimizer = twin.rule().over(parameters);
            for (int step = 1; step <= steps; step++) {
                long processor = system.getProcessCpuTime();
                long start = System.nanoTime();
                double loss = step(twin, sizes, layers, batch, parameters, optimizer);
                double millis = (System.nanoTime() - start) / 1e6;
                double busy = (system.getProcessCpuTime() - processor) / 1e6;
                System.out.printf(
                        Locale.ROOT,
                        "{\"step\": %d, \"loss\": %.6f, \"millis\": %.3f, \"processorMillis\": %.3f}%n",
                        step,
                        loss,
                        millis,
                        busy);
            }
        }
    }

    /** A loss that nobody differentiates has all parameters drawn. */
    @SuppressWarnings("try")
    private static void parameters(Twin twin, Sizes sizes, Layers layers, Map<String, Tensor> batch) {
        try (PointerScope drawn = new PointerScope()) {
            twin.forward().loss(layers, sizes, batch);
        }
    }

    @SuppressWarnings("try")
    private static double step(
            Twin twin,
            Sizes sizes,
            Layers layers,
            Map<String, Tensor> batch,
            TensorVector parameters,
            Optimizer optimizer) {
        try (PointerScope made = new PointerScope()) {
            optimizer.zero_grad();
            Tensor loss = Layers.within(() -> twin.forward().loss(layers, sizes, batch));
            loss.backward();
            if (twin.clipNorm() > 0) {
                torch.clip_grad_norm_(parameters, twin.clipNorm());
            }
            optimizer.step();
            return loss.item_double();
        }
    }
}
