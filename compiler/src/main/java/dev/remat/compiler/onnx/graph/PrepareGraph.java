package dev.remat.compiler.onnx.graph;

import dev.remat.compiler.onnx.read.DamagedOnnxException;
import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxGraphBody;
import dev.remat.compiler.onnx.read.OnnxModel;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.compiler.onnx.read.ValueInfo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SequencedMap;
import java.util.SequencedSet;

/** Puts the graph of a file in order, and refuses one that has none; keeps what the asked outputs depend on. */
public final class PrepareGraph {
    private final OnnxModel model;
    private final List<OnnxNode> nodes;
    private final SequencedMap<String, Integer> makers = new LinkedHashMap<>();
    private final SequencedMap<String, OnnxTensor> initializers = new LinkedHashMap<>();
    private final SequencedMap<String, ValueInfo> inputs = new LinkedHashMap<>();

    private PrepareGraph(OnnxModel model) {
        this.model = model;
        this.nodes = InlineFunctions.run(model);
    }

    /**
     * @param cutInputs values that become inputs, whatever makes them; empty for those of the file
     * @param cutOutputs values that become outputs; empty for those of the file
     * @throws DamagedOnnxException if the graph has a cycle, a value that is made twice, or one that is made nowhere
     */
    public static PreparedGraph run(OnnxModel model, List<String> cutInputs, List<String> cutOutputs) {
        return new PrepareGraph(model).prepared(cutInputs, cutOutputs);
    }

    private PreparedGraph prepared(List<String> cutInputs, List<String> cutOutputs) {
        OnnxGraphBody graph = model.graph();
        for (OnnxTensor tensor : graph.initializers()) {
            if (initializers.put(tensor.name(), tensor) != null) {
                throw new DamagedOnnxException("two initializers are called '" + tensor.name() + "'");
            }
        }
        for (ValueInfo input : graph.inputs()) {
            if (inputs.put(input.name(), input) != null) {
                throw new DamagedOnnxException("two inputs are called '" + input.name() + "'");
            }
        }
        for (int i = 0; i < nodes.size(); i++) {
            for (String output : nodes.get(i).outputs()) {
                if (!output.isEmpty()
                        && (makers.put(output, i) != null
                                || initializers.containsKey(output)
                                || inputs.containsKey(output))) {
                    throw new DamagedOnnxException("the value '" + output + "' is made twice, once by "
                            + nodes.get(i).title());
                }
            }
        }
        List<String> outputs = cutOutputs.isEmpty()
                ? graph.outputs().stream().map(ValueInfo::name).toList()
                : cutOutputs;
        if (outputs.isEmpty()) {
            throw new DamagedOnnxException("the graph has no outputs");
        }
        cutInputs.forEach(this::known);
        outputs.forEach(this::known);
        List<OnnxNode> sorted = sorted();
        List<OnnxNode> needed = needed(sorted, outputs, cutInputs);
        SequencedSet<String> read = new LinkedHashSet<>(outputs);
        needed.forEach(node -> read.addAll(reads(node)));
        inputs.keySet().removeIf(initializers::containsKey);
        List<ValueInfo> open = new ArrayList<>();
        for (ValueInfo input : inputs.values()) {
            if (cutInputs.isEmpty() || cutInputs.contains(input.name()) || read.contains(input.name())) {
                open.add(input);
            }
        }
        SequencedMap<String, OnnxTensor> used = new LinkedHashMap<>(initializers);
        used.keySet().removeIf(name -> !read.contains(name) || cutInputs.contains(name));
        return new PreparedGraph(TypeQuantized.run(needed, used), used, open, outputs);
    }

    private void known(String name) {
        if (!makers.containsKey(name) && !initializers.containsKey(name) && !inputs.containsKey(name)) {
            throw new DamagedOnnxException("nothing makes the value '" + name + "'");
        }
    }

    /** Values that a node reads, those that its graphs take from around them included. */
    public static SequencedSet<String> reads(OnnxNode node) {
        SequencedSet<String> reads = new LinkedHashSet<>(node.inputs());
        for (OnnxAttribute attribute : node.attributes().values()) {
            for (OnnxGraphBody graph : attribute.graphs()) {
                reads.addAll(captured(graph));
            }
        }
        reads.remove("");
        return reads;
    }

    private static SequencedSet<String> captured(OnnxGraphBody graph) {
        SequencedSet<String> made = new LinkedHashSet<>();
        graph.inputs().forEach(input -> made.add(input.name()));
        graph.initializers().forEach(tensor -> made.add(tensor.name()));
        graph.nodes().forEach(node -> made.addAll(node.outputs()));
        SequencedSet<String> captured = new LinkedHashSet<>();
        graph.nodes().forEach(node -> captured.addAll(reads(node)));
        graph.outputs().forEach(output -> captured.add(output.name()));
        captured.removeAll(made);
        return captured;
    }

    /** Nodes behind what they read, else as the file has them. */
    private List<OnnxNode> sorted() {
        int[] missing = new int[nodes.size()];
        List<List<Integer>> readers = new ArrayList<>();
        nodes.forEach(_ -> readers.add(new ArrayList<>()));
        Queue<Integer> ready = new PriorityQueue<>();
        for (int i = 0; i < nodes.size(); i++) {
            for (String input : reads(nodes.get(i))) {
                Integer maker = makers.get(input);
                if (maker != null) {
                    readers.get(maker).add(i);
                    missing[i]++;
                } else if (!initializers.containsKey(input) && !inputs.containsKey(input)) {
                    throw new DamagedOnnxException(
                            nodes.get(i).title() + " reads '" + input + "', which nothing makes");
                }
            }
            if (missing[i] == 0) {
                ready.add(i);
            }
        }
        List<OnnxNode> sorted = new ArrayList<>();
        while (!ready.isEmpty()) {
            int next = ready.remove();
            sorted.add(nodes.get(next));
            for (int reader : readers.get(next)) {
                if (--missing[reader] == 0) {
                    ready.add(reader);
                }
            }
        }
        for (int i = 0; i < nodes.size(); i++) {
            if (missing[i] > 0) {
                throw new DamagedOnnxException(nodes.get(i).title() + " reads what depends on its own result");
            }
        }
        return sorted;
    }

    private List<OnnxNode> needed(List<OnnxNode> sorted, List<String> outputs, List<String> cutInputs) {
        SequencedSet<String> wanted = new LinkedHashSet<>();
        Deque<OnnxNode> kept = new ArrayDeque<>();
        outputs.stream().filter(name -> !cutInputs.contains(name)).forEach(wanted::add);
        for (OnnxNode node : sorted.reversed()) {
            if (node.outputs().stream().anyMatch(wanted::contains)) {
                kept.addFirst(node);
                reads(node).stream().filter(name -> !cutInputs.contains(name)).forEach(wanted::add);
            }
        }
        return List.copyOf(kept);
    }
}
