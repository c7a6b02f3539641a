package dev.remat.compiler.model;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.ModelException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What a source gives for one question after another, each answered once. */
final class Elaborations {
    /** The graph of a step is the same whether it updates parameters or gives gradients. */
    private record Question(boolean trains, Bindings bindings) {
        Question(Purpose purpose, Bindings bindings) {
            this(purpose != Purpose.EVALUATE, bindings);
        }
    }

    private static final String READ = "read";

    private final ModelSource source;
    private final Map<Question, ElaboratedModel> answers = new LinkedHashMap<>();
    private final StageRunner stages = new StageRunner(Optional.empty());

    Elaborations(ModelSource source) {
        this.source = source;
    }

    ModelSource source() {
        return source;
    }

    /** From now on answers this. */
    void know(Purpose purpose, Bindings bindings, ElaboratedModel model) {
        answers.put(new Question(purpose, bindings), model);
    }

    /** @throws ModelException if the model is wrong, or a setting does not suit it */
    ElaboratedModel of(Purpose purpose, Bindings bindings) {
        Question question = new Question(purpose, bindings);
        ElaboratedModel model = answers.get(question);
        if (model == null) {
            model = stages.run(READ, () -> source.elaborate(bindings, purpose));
            answers.put(question, model);
        }
        return model.purpose() == purpose ? model : model.with(purpose);
    }

    /** The same; empty where the model cannot be had so, as where it needs a number that is left open. */
    Optional<ElaboratedModel> find(Purpose purpose, Bindings bindings) {
        try {
            return Optional.of(of(purpose, bindings));
        } catch (ModelException e) {
            return Optional.empty();
        }
    }

    /** Seconds that answers took. */
    double seconds() {
        return stages.seconds().getOrDefault(READ, 0.0);
    }
}
