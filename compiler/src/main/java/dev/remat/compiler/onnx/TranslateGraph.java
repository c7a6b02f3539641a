package dev.remat.compiler.onnx;

import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.AfterLoss;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Clamp;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CtcLoss;
import dev.remat.ir.op.CumulativeSum;
import dev.remat.ir.op.Draw;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.LeakyRelu;
import dev.remat.ir.op.Literal;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.Select;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Sort;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.View;
import java.util.ArrayList;
import java.util.List;

/** Makes operators of ONNX of the nodes of a graph, and gathers what cannot be said there. */
final class TranslateGraph {
    private final Graph graph;
    private final OnnxGraph out;
    private final RuntimeExtents extents;
    private final HeldTensors tensors;
    private final List<Diagnostic> refusals = new ArrayList<>();
    private final boolean[] refused;

    TranslateGraph(Graph graph, OnnxGraph out, RuntimeExtents extents, HeldTensors tensors) {
        this.graph = graph;
        this.out = out;
        this.extents = extents;
        this.tensors = tensors;
        this.refused = new boolean[graph.values().size()];
    }

    /** What was refused so far, in the order of the graph. */
    List<Diagnostic> refusals() {
        return refusals;
    }

    /** Translates a node whose operands have been; one that depends on what was refused is left out. */
    void run(Node node) {
        boolean lacks = node.operands().stream().anyMatch(operand -> refused[operand.index()]);
        try {
            if (!lacks) {
                translate(new Translated(graph, node, out, extents, tensors));
            }
        } catch (NotInOnnxException e) {
            refuse(node, e);
            lacks = true;
        }
        if (lacks) {
            // The next draw takes its seed from this one, and is told of, too.
            node.results().stream()
                    .filter(result -> graph.type(result).dtype() != DType.SEED)
                    .forEach(result -> refused[result.index()] = true);
        }
    }

    private void refuse(Node node, NotInOnnxException e) {
        String name = graph.value(node.results().getFirst()).name();
        refusals.add(Diagnostic.error(
                e.code(),
                node.origin().location(),
                "'" + name + "' (" + node.op().mnemonic() + ") " + e.getMessage(),
                e.wayOut().replace(NAME, name)));
    }

    /** Stands in ways out for the name of the node's result. */
    private static final String NAME = "{name}";

    private static NotInOnnxException none(String reason) {
        return new NotInOnnxException(
                "E0801", reason, "leave it out of what is exported: --inputs " + NAME + " makes it an input");
    }

    private static void translate(Translated node) {
        switch (node.node().op()) {
            case Unary(Unary.Kind kind) -> WriteElementwise.unary(node, kind);
            case Binary(Binary.Kind kind) -> WriteElementwise.binary(node, kind);
            case Compare(Compare.Kind kind) -> WriteElementwise.compare(node, kind);
            case Select _ -> WriteElementwise.select(node);
            case Cast cast -> WriteElementwise.cast(node, cast.dtype());
            case Clamp clamp -> WriteElementwise.clamp(node, clamp);
            case LeakyRelu relu -> WriteElementwise.leakyRelu(node, relu);
            case Contiguous _ -> node.result(node.held(0).name(), node.held(0).shape());
            case Literal literal -> WriteLiterals.run(node, literal);
            case View view -> WriteViews.run(node, view);
            case Pad pad -> WriteViews.pad(node, pad);
            case Concat concat -> WriteViews.concat(node, concat.axis());
            case MatMul product -> WriteProducts.matmul(node, product);
            case Conv2d conv -> WriteProducts.conv(node, conv);
            case ConvTranspose2d conv -> WriteProducts.convTranspose(node, conv);
            case MaxPool2d pool -> WriteWindows.max(node, pool.window());
            case AvgPool2d pool -> WriteWindows.mean(node, pool);
            case Reduce reduce -> WriteReductions.reduce(node, reduce);
            case NormStatistics statistics -> WriteReductions.statistics(node, statistics);
            case Softmax softmax -> WriteReductions.softmax(node, softmax.logarithm());
            case CumulativeSum sum -> WriteReductions.cumulativeSum(node, sum);
            case Sort sort -> WriteReductions.sort(node, sort);
            case Embedding embedding -> WriteReductions.embedding(node, embedding);
            case Gather gather -> WriteReductions.gather(node, gather.axis());
            case ScatterAdd scatter -> WriteReductions.scatterAdd(node, scatter);
            case CrossEntropy loss -> WriteReductions.crossEntropy(node, loss);
            case Normalize normalize -> WriteNormalization.run(node, normalize);
            case Attention attention -> WriteAttention.run(node, attention);
            case StepSeed _, ResetSeed _ -> {
                // What draws by the seed is refused.
            }
            case Draw _, Dropout _ -> throw none("draws random numbers, of which ONNX would have others");
            case CtcLoss _ -> throw none("is no operator of ONNX");
            case AfterLoss _, Update _ -> throw none("is for training, and ONNX holds forward passes");
        }
    }
}
