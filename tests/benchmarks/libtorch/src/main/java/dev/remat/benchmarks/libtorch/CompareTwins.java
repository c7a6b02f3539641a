package dev.remat.benchmarks.libtorch;

import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * Loss and gradients of every twin beside those of its sample by {@code remat grad}, in f64 on the same parameters and
 * batch, so that both sides of the benchmark are known to compute the same. Dropout is left out: the two draw
 * differently.
 */
public final class CompareTwins {
    /** Of the largest element, or of 0.01 if that is less. */
    private static final double LIMIT = 1e-10;

    private static final double LEAST = 1e-2;

    /** Sizes by twin, which PyTorch evaluates in no time. */
    private static final Map<String, String> SETTINGS = settings();

    private CompareTwins() {}

    private static Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("gpt", "B=2,T=9,vocab=17,width=16,depth=2,heads=2,context=12,drop=0");
        settings.put("llama", "B=2,T=9,vocab=17,width=24,depth=2,heads=6,kv_heads=2,hidden=20");
        settings.put("bert", "B=2,T=16,vocab=19,width=16,depth=2,heads=2,hidden=24,context=20,drop=0");
        settings.put("vit", "B=2,patch=4,width=16,depth=2,heads=2,hidden=24,image=12,classes=5,drop=0");
        settings.put("mlp", "B=3,features=6,width=8,depth=3,classes=4,drop=0");
        settings.put("lstm", "B=3,T=4,features=5,width=6,depth=2,classes=7");
        settings.put("lstm-network", "B=3,T=4,features=5,width=6,depth=2,classes=7");
        settings.put("resnet-cifar", "B=3,depth=20,classes=4,width=4,image=16");
        settings.put("unet", "B=2,classes=3,width=4,image=32,pad=1,drop=0");
        settings.put("vgg", "B=2,classes=5,width=4,hidden=8,image=32,drop=0");
        return settings;
    }

    /** @param words the command that runs remat, and the folders of a model's file: {@code REMAT FOLDER…} */
    public static void main(String[] words) throws IOException, InterruptedException {
        Libtorch.load(1);
        boolean hold = true;
        for (String name : SETTINGS.keySet()) {
            hold &= compare(name, words);
        }
        System.exit(hold ? 0 : 1);
    }

    @SuppressWarnings("try") // A scope is there for what is made while it is open.
    private static boolean compare(String name, String[] words) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("remat-twins");
        Path given = folder.resolve("given.safetensors");
        Path result = folder.resolve("result.safetensors");
        try (PointerScope all = new PointerScope()) {
            Twin twin = Twin.ALL.get(name);
            Sizes sizes = Sizes.parse(SETTINGS.get(name));
            torch.manual_seed(1);
            SequencedMap<String, Tensor> batch = twin.batch().draw(sizes);
            batch.replaceAll((key, value) -> value.is_floating_point() ? value.to(ScalarType.Double) : value);
            Layers layers = new Layers(ScalarType.Double, false);
            twin.forward().loss(layers, sizes, batch);
            // Away from ones and zeros, whose gradients may hide what is missing.
            layers.parameters()
                    .values()
                    .forEach(parameter -> parameter
                            .detach()
                            .add_(torch.randn(parameter.shape()).mul(new Scalar(0.1))));
            Tensor loss = twin.forward().loss(layers, sizes, batch);
            loss.backward();
            write(given, batch, layers);
            gradients(words, model(name, words), SETTINGS.get(name), given, result);
            return compare(name, result, loss, layers.parameters());
        } finally {
            Files.deleteIfExists(given);
            Files.deleteIfExists(result);
            Files.delete(folder);
        }
    }

    private static Path model(String name, String[] words) {
        for (int i = 1; i < words.length; i++) {
            Path file = Path.of(words[i], name + ".model");
            if (Files.exists(file)) {
                return file;
            }
        }
        throw new IllegalArgumentException("no " + name + ".model");
    }

    private static void gradients(String[] words, Path model, String settings, Path given, Path result)
            throws IOException, InterruptedException {
        int status = new ProcessBuilder(
                        words[0],
                        "grad",
                        model.toString(),
                        "--set",
                        settings,
                        "--precision",
                        "f64",
                        "--inputs",
                        given.toString(),
                        "-o",
                        result.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start()
                .waitFor();
        if (status != 0) {
            throw new IllegalStateException("remat grad of " + model + " ended with " + status);
        }
    }

    private static void write(Path file, Map<String, Tensor> batch, Layers layers) throws IOException {
        List<StoredTensor> stored = new ArrayList<>();
        batch.forEach((name, value) ->
                stored.add(stored(name, value.is_floating_point() ? value : value.to(ScalarType.Int))));
        layers.parameters().forEach((name, value) -> stored.add(stored(name, value.detach())));
        SafetensorsWriter.write(file, Map.of(), stored);
    }

    private static StoredTensor stored(String name, Tensor tensor) {
        Tensor dense = tensor.contiguous();
        boolean real = dense.is_floating_point();
        List<Long> shape = new ArrayList<>();
        for (long extent : dense.shape()) {
            shape.add(extent);
        }
        return new StoredTensor(name, real ? StoredType.F64 : StoredType.I32, shape, bytes(dense));
    }

    private static MemorySegment bytes(Tensor dense) {
        return MemorySegment.ofAddress(dense.data_ptr().address()).reinterpret(dense.numel() * dense.element_size());
    }

    private static boolean compare(String name, Path result, Tensor loss, Map<String, Tensor> parameters)
            throws IOException {
        Map<String, Double> errors = new TreeMap<>();
        try (SafetensorsFile file = SafetensorsFile.open(result)) {
            errors.put("loss", error(file, "loss", loss));
            for (Map.Entry<String, Tensor> parameter : parameters.entrySet()) {
                String key = "grad." + parameter.getKey();
                errors.put(key, error(file, key, parameter.getValue().grad()));
            }
            long gradients = file.tensors().stream()
                    .filter(tensor -> tensor.name().startsWith("grad."))
                    .count();
            if (gradients != parameters.size()) {
                throw new IllegalStateException(
                        name + " has " + gradients + " parameters, and its twin " + parameters.size());
            }
        }
        Map.Entry<String, Double> worst =
                errors.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
        System.out.printf(
                Locale.ROOT,
                "{\"model\": \"%s\", \"parameters\": %d, \"largestError\": %.2e, \"at\": \"%s\"}%n",
                name,
                parameters.size(),
                worst.getValue(),
                worst.getKey());
        return worst.getValue() <= LIMIT;
    }

    private static double error(SafetensorsFile file, String name, Tensor expected) {
        StoredTensor actual =
                file.find(name).orElseThrow(() -> new IllegalStateException("remat grad gives no " + name));
        MemorySegment mine = bytes(expected.detach().contiguous());
        double difference = 0;
        double largest = LEAST;
        for (long i = 0; i < actual.elements(); i++) {
            double theirs = actual.data().get(ValueLayout.JAVA_DOUBLE_UNALIGNED, i * Double.BYTES);
            double ours = mine.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, i * Double.BYTES);
            difference = Math.max(difference, Math.abs(theirs - ours));
            largest = Math.max(largest, Math.abs(ours));
        }
        return difference / largest;
    }
}
