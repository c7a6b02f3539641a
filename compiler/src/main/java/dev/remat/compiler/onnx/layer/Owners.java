package dev.remat.compiler.onnx.layer;

import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Names;
import dev.remat.compiler.onnx.statement.Spelling;
import dev.remat.compiler.onnx.statement.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * What a layer is called: as its weights are in the file, else as the node's path says. TorchScript calls weights that
 * it has transposed {@code onnx::MatMul_885}, and the node {@code /encoder/layer.0/attention/self/query/MatMul};
 * tf2onnx calls nodes as TensorFlow does, {@code model/conv2d_1/Conv2D}.
 */
final class Owners {
    private static final String MODULE = "[A-Za-z0-9_]+(\\.[A-Za-z0-9_]+)*";

    private Owners() {}

    /** @param weights places of the operands that the layer owns */
    static String name(Use use, List<Integer> weights) {
        return take(use, wish(use, weights), weights);
    }

    /** Takes a wish, or a name that resembles it. */
    static String take(Use use, String wish, List<Integer> weights) {
        boolean isUnnamed = wish.equals(plain(use.node().inputs().get(weights.getFirst())));
        return isUnnamed
                ? use.out().body().unnamedOwner(wish)
                : use.out().body().owner(wish);
    }

    /** The same, which may be somebody else's name by now. */
    static String wish(Use use, List<Integer> weights) {
        OnnxNode node = use.node();
        for (int place : weights) {
            if (place < node.inputs().size()) {
                Optional<String> module = module(node.inputs().get(place));
                if (module.isPresent()) {
                    return module.get();
                }
            }
        }
        String path = node.name()
                .replaceFirst("/[^/]*$", "")
                .replaceFirst("^(StatefulPartitionedCall)?/", "")
                .replace('/', '.');
        return path.matches(MODULE) && node.name().contains("/")
                ? path
                : plain(node.inputs().get(weights.getFirst()));
    }

    /** The module of {@code module.weight}. */
    private static Optional<String> module(String weight) {
        return weight.matches(MODULE + "\\.(weight|bias|gamma|beta)")
                ? Optional.of(weight.substring(0, weight.lastIndexOf('.')))
                : Optional.empty();
    }

    private static String plain(String weight) {
        String name = weight.replaceAll("[^A-Za-z0-9_]+", "_").replaceAll("^_+|_+$", "");
        return name.isEmpty() ? "layer" : name;
    }

    /** A call under its name. */
    static Tensor named(Tensor call, String owner) {
        Spelling spelling = call.spelling().orElseThrow();
        String name = Names.isPlain(owner) ? owner : '"' + owner + '"';
        return Tensor.of(call.type(), new Spelling(spelling.text() + " as " + name, Spelling.ATOM, spelling.reads()));
    }
}
