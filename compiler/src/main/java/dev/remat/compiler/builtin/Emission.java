package dev.remat.compiler.builtin;

import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Draw;
import dev.remat.ir.op.OpEmitter;
import dev.remat.ir.op.Update;
import java.util.List;
import java.util.SequencedMap;

/** The graph under construction, as a builtin sees it: what it emits belongs to the call at hand. */
public interface Emission extends OpEmitter {
    /** The parameter {@code name} of this call; a layer that is applied again gets the one it has. */
    ValueId parameter(String name, TensorType type, Initial initial);

    /** The start of a parameter that holds the lengths of each {@code run} neighbours of another as it starts. */
    Initial lengths(ValueId parameter, long run);

    /**
     * A tensor that outlives the step and is not trained, as updates have left it so far.
     *
     * @param repeated whether a layer that is applied again may update it again
     */
    ValueId state(String name, TensorType type, Initial initial, boolean repeated);

    /** Appends a node that happens once a step and is never repeated. */
    void update(Update op, List<ValueId> operands);

    /**
     * An update that happens once at the end of the model, by the mean of the samples that it is given here and
     * elsewhere for the same states.
     *
     * @throws SemanticError if it is another update for these states elsewhere
     */
    void updateByMean(Update op, List<ValueId> states, List<ValueId> samples);

    /** Zeroes elements with probability {@code p}; the next draw of the chain. */
    ValueId dropout(ValueId x, double p);

    /** Random numbers; the next draw of the chain, in evaluation as well. */
    ValueId draw(Draw.Kind kind, long bound, TensorType type);

    /** Whether the value is 0, 1, 2 and so on along its only axis, as {@code arange(n)} makes it. */
    boolean isCount(ValueId value);

    /** False where the graph is for evaluation: no dropout, running statistics. */
    boolean isTraining();

    /**
     * What a function that is written in the language gives; its operations belong to the call at hand, as those of any
     * builtin do.
     *
     * @param besides what it may call beside the builtins of every model
     * @throws SemanticError as it would say itself
     */
    Datum evaluate(LayerDefinition function, SequencedMap<String, Datum> arguments, List<Builtin> besides);
}
