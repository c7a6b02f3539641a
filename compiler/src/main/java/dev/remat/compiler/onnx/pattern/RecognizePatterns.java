package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.graph.PrepareGraph;
import dev.remat.compiler.onnx.graph.PreparedGraph;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.compiler.onnx.statement.Constant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.function.Function;
import java.util.function.Predicate;

/** Puts nodes that mean more in the place of groups of nodes, pattern by pattern. */
public final class RecognizePatterns {
    /** Later ones build on what earlier ones have found. */
    private static final List<Pattern> PATTERNS = List.of(
            new LayerNormPattern(),
            new RmsNormPattern(),
            new GroupNormPattern(),
            new GeluPattern(),
            new SiluPattern(),
            new HardSwishPattern(),
            new NotEqualPattern(),
            new LinearPattern(),
            new OwnedPattern(),
            new BiasPattern(),
            new HeadsPattern(),
            new AttentionPattern(),
            new EmbeddingPattern(),
            new CountPattern(),
            new OfSumPattern());

    private static final SequencedMap<String, String> LABELS = labels();

    private final Function<OnnxTensor, Optional<Constant>> numbers;
    private final Predicate<OnnxTensor> hides;
    private final boolean isOurs;
    private final SequencedMap<String, Integer> found = new LinkedHashMap<>();

    /**
     * @param numbers of a small tensor of the file
     * @param hides whether a tensor is a mask, which nothing owns
     * @param isOurs whether the file was exported from here
     */
    public RecognizePatterns(
            Function<OnnxTensor, Optional<Constant>> numbers, Predicate<OnnxTensor> hides, boolean isOurs) {
        this.numbers = numbers;
        this.hides = hides;
        this.isOurs = isOurs;
    }

    /** What reports call the operators that patterns put in. */
    private static SequencedMap<String, String> labels() {
        SequencedMap<String, String> labels = new LinkedHashMap<>();
        labels.put("Embedding", "embedding");
        labels.put("Linear", "linear");
        labels.put("Positions", "positions");
        labels.put("PositionsOf", "positions");
        labels.put("LinearByRows", "linear");
        labels.put("LinearOfShared", "linear");
        labels.put("Conv", "convolution");
        labels.put("ConvTranspose", "convolution");
        labels.put("LayerNorm", "layer norm");
        labels.put("RmsNorm", "rms norm");
        labels.put("BatchNormalization", "batch norm");
        labels.put("GroupNorm", "group norm");
        labels.put("Attend", "attention");
        labels.put("Gelu", "gelu");
        labels.put("Silu", "silu");
        labels.put("HardSwish", "hard swish");
        return labels;
    }

    /** How often each pattern was found. */
    public SequencedMap<String, Integer> found() {
        return found;
    }

    public PreparedGraph run(PreparedGraph graph) {
        PreparedGraph result = graph;
        for (Pattern pattern : PATTERNS) {
            result = rewritten(result, pattern);
        }
        if (isOurs) {
            result = rewritten(result, new FromFrontPattern());
        }
        for (OnnxNode node : result.nodes()) {
            if (node.domain().equals(Wiring.DOMAIN) && LABELS.containsKey(node.operator())) {
                found.merge(LABELS.get(node.operator()), 1, Integer::sum);
            }
        }
        return result;
    }

    private PreparedGraph rewritten(PreparedGraph graph, Pattern pattern) {
        Wiring wiring = new Wiring(graph, numbers, hides);
        List<OnnxNode> nodes = new ArrayList<>();
        for (OnnxNode node : graph.nodes()) {
            nodes.addAll(matched(pattern, node, wiring).orElse(List.of(node)));
        }
        return graph.with(needed(nodes, graph.outputs()));
    }

    /** What a node lacks that has fewer operands than its operator takes is told when it is written. */
    private static Optional<List<OnnxNode>> matched(Pattern pattern, OnnxNode node, Wiring wiring) {
        try {
            return pattern.match(node, wiring);
        } catch (IndexOutOfBoundsException | NoSuchElementException e) {
            return Optional.empty();
        }
    }

    private static List<OnnxNode> needed(List<OnnxNode> nodes, List<String> outputs) {
        SequencedSet<String> wanted = new LinkedHashSet<>(outputs);
        List<OnnxNode> kept = new ArrayList<>();
        for (OnnxNode node : nodes.reversed()) {
            if (node.outputs().stream().anyMatch(wanted::contains)) {
                kept.add(node);
                wanted.addAll(PrepareGraph.reads(node));
            }
        }
        return kept.reversed();
    }
}
