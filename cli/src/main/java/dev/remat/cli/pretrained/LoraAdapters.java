package dev.remat.cli.pretrained;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.DType;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.MatMul;
import dev.remat.runtime.io.ElementConversion;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.LongStream;

/**
 * The adapters of a model (Hu et al., 2021): beside a map with the weight {@code M.weight}, what {@code M.lora.A}
 * [rank, in] and {@code M.lora.B} [out, rank] make of the same rows, times {@code lora_alpha} / rank.
 *
 * @param maps names of the maps that have one, and whether their weight is [in, out] instead of [out, in]
 * @param alpha the model's {@code lora_alpha}
 */
public record LoraAdapters(SequencedMap<String, Boolean> maps, double alpha) {
    private static final String A = ".lora.A";
    private static final String B = ".lora.B";
    private static final String WEIGHT = ".weight";
    private static final String ALPHA = "lora_alpha";

    /** Those of a model that was imported with adapters; none of any other. */
    public static LoraAdapters of(ElaboratedModel model) {
        Set<String> parameters = new TreeSet<>();
        Graph forward = model.forward();
        for (GraphInput input : forward.inputs()) {
            parameters.add(forward.value(input.value()).name());
        }
        SequencedMap<String, Boolean> maps = new LinkedHashMap<>();
        for (Node node : forward.nodes()) {
            if (node.op() instanceof MatMul product) {
                String weight = forward.value(node.operands().get(1)).name();
                String map = weight.endsWith(WEIGHT) ? mapOf(weight) : "";
                if (parameters.contains(map + A) && parameters.contains(map + B)) {
                    maps.put(map, !product.transposeB());
                }
            }
        }
        String alpha = model.identity().hyperParameters().get(ALPHA);
        return new LoraAdapters(
                alpha == null ? new LinkedHashMap<>() : maps, alpha == null ? 0 : Double.parseDouble(alpha));
    }

    private static String mapOf(String weight) {
        return weight.substring(0, weight.length() - WEIGHT.length());
    }

    public boolean isEmpty() {
        return maps.isEmpty();
    }

    /** Whether a parameter is part of an adapter. */
    public boolean has(String parameter) {
        return (parameter.endsWith(A) || parameter.endsWith(B))
                && maps.containsKey(parameter.substring(0, parameter.length() - A.length()));
    }

    /** What PEFT calls a part of an adapter, and a parameter that is trained beside them. */
    static String nameForPeft(String parameter) {
        String name = parameter.endsWith(A) || parameter.endsWith(B)
                ? parameter.replaceFirst("\\.lora\\.([AB])$", ".lora_$1.weight")
                : parameter;
        return "base_model.model." + name;
    }

    /**
     * A tensor with its adapter folded in, summed in f64 and rounded to f32 once; any other as it is.
     *
     * @param name of the tensor in the model
     * @param trained finds a tensor by name
     * @param arena of the new elements
     */
    public StoredTensor merged(
            String name, StoredTensor tensor, Function<String, Optional<StoredTensor>> trained, Arena arena) {
        String map = name.endsWith(WEIGHT) ? mapOf(name) : "";
        if (!maps.containsKey(map)) {
            return tensor;
        }
        MemorySegment sums = arena.allocate(tensor.elements() * Float.BYTES, Float.BYTES);
        try (Arena own = Arena.ofShared()) {
            StoredTensor weight = wide(tensor, own);
            StoredTensor a = wide(trained.apply(map + A).orElseThrow(), own);
            StoredTensor b = wide(trained.apply(map + B).orElseThrow(), own);
            sum(weight, a, b, maps.get(map), sums);
        }
        return new StoredTensor(name, StoredType.F32, tensor.shape(), sums);
    }

    private void sum(StoredTensor weight, StoredTensor a, StoredTensor b, boolean isInOut, MemorySegment sums) {
        long rank = a.shape().getFirst();
        long ins = a.shape().getLast();
        long outs = b.shape().getFirst();
        LongStream.range(0, outs).parallel().forEach(out -> {
            for (long in = 0; in < ins; in++) {
                double sum = 0;
                for (long r = 0; r < rank; r++) {
                    sum += at(b, out * rank + r) * at(a, r * ins + in);
                }
                long place = isInOut ? in * outs + out : out * ins + in;
                sums.setAtIndex(ValueLayout.JAVA_FLOAT, place, (float) (at(weight, place) + alpha / rank * sum));
            }
        });
    }

    private static StoredTensor wide(StoredTensor tensor, Arena arena) {
        return ElementConversion.convert(tensor, tensor.name(), DType.F64, arena);
    }

    private static double at(StoredTensor tensor, long index) {
        return tensor.data().getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index);
    }

    /** Maps with a weight that have no adapter, as far as their last names are those of maps that do. */
    private boolean isTold(List<String> parameters) {
        Set<String> names = lastNames();
        return parameters.stream()
                .filter(parameter -> parameter.endsWith(WEIGHT))
                .map(LoraAdapters::mapOf)
                .allMatch(map -> maps.containsKey(map) || !names.contains(lastName(map)));
    }

    /** What PEFT finds the maps by: their last names where these say it all, else whole ones. */
    List<String> targets(List<String> parameters) {
        return isTold(parameters) ? List.copyOf(lastNames()) : List.copyOf(maps.keySet());
    }

    private Set<String> lastNames() {
        Set<String> names = new TreeSet<>();
        maps.keySet().forEach(map -> names.add(lastName(map)));
        return names;
    }

    private static String lastName(String map) {
        return map.substring(map.lastIndexOf('.') + 1);
    }
}
