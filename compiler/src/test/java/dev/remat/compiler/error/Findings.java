package dev.remat.compiler.error;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.forward.ChooseOutputs;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelSource;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.onnx.OnnxExport;
import dev.remat.compiler.onnx.OnnxOpset;
import dev.remat.compiler.onnx.OnnxWeight;
import dev.remat.compiler.onnx.WeightUse;
import dev.remat.compiler.syntax.FolderIncludes;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What the compiler has to say about a text. */
final class Findings {
    private Findings() {}

    /**
     * What the first line says where it is a comment of options, such as {@code // --set B=8}.
     */
    private static List<String> options(String text) {
        return text.startsWith("// --")
                ? List.of(text.lines().findFirst().orElseThrow().substring(3).split(" "))
                : List.of();
    }

    private static ModelSettings settings(List<String> options) {
        int set = options.indexOf("--set");
        ModelSettings settings =
                set < 0 ? ModelSettings.NONE : ModelSettings.of(Bindings.parse(List.of(options.get(set + 1))));
        return options.contains("--batch-norm") ? settings.refusingBatchNorms() : settings;
    }

    /** Errors of what needs symbols are told before those are asked for. */
    private static void elaborate(ModelSession model) {
        if (model.open(Purpose.TRAIN).open().isEmpty()) {
            model.step(Purpose.TRAIN);
        }
    }

    /** With weights of which only the shapes count. */
    private static void export(ElaboratedModel model) {
        OnnxExport export =
                new OnnxExport(ChooseOutputs.run(model, List.of(), "--outputs").forward(), OnnxOpset.USUAL, List.of());
        List<OnnxWeight> weights = new ArrayList<>();
        export.weights().forEach((name, type) -> {
            List<Long> shape = Arrays.stream(type.shape().toArray()).boxed().toList();
            weights.add(new OnnxWeight(name, type.dtype(), shape, new OnnxWeight.Outside("weights", 0)));
        });
        export.run(weights, WeightUse::whole, "test");
    }

    /**
     * @param code of the error or warning that is looked for; texts about syntax need not make sense beyond that
     * @param file where the text pretends to stand, for its includes
     */
    static List<Diagnostic> of(String code, Path file, String text) {
        try {
            ModelSource source = ModelText.of(new Source(file.toString(), text), new FolderIncludes(file));
            List<Diagnostic> warnings = source.warnings();
            ModelSession model = ModelSession.of(source, settings(options(text)));
            if (code.startsWith("E08")) {
                export(model.open(Purpose.EVALUATE));
            } else if (!code.startsWith("E01")) {
                elaborate(model);
            }
            return code.startsWith("W") ? warnings : List.of();
        } catch (ModelException e) {
            return e.diagnostics();
        }
    }
}
