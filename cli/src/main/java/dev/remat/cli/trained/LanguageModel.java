package dev.remat.cli.trained;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.forward.Continuation;
import dev.remat.compiler.forward.ContinueText;
import dev.remat.compiler.forward.Logits;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import dev.remat.runtime.generate.Generator;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** A model that reads tokens and scores the next one, by how many tokens it sees at once. */
public final class LanguageModel {
    private final ModelSession session;
    private final Optional<String> logits;
    private final CommandLine command;
    private final Optional<String> batch;
    private final Optional<String> length;
    private final long longest;

    /**
     * The model as one that continues tokens.
     *
     * @param logits name of the value that scores the next token, where it is not found by itself
     * @throws ModelException if it is wrong, or a setting does not suit it
     * @throws ParameterException if it is no such model, or a symbol is left without a value
     */
    public LanguageModel(ModelSession session, Optional<String> logits, CommandLine command) {
        this.session = session;
        this.logits = logits;
        this.command = command;
        ElaboratedModel given = session.open(Purpose.EVALUATE);
        TensorType tokens = tokens(given)
                .orElseThrow(() -> wrong(
                        "the model has no input " + String.join(" or ", Generator.TOKENS) + " of integers [B, T]"));
        this.batch = symbol(given, 0);
        this.length = symbol(given, 1);
        for (String symbol : given.open()) {
            if (!batch.equals(Optional.of(symbol))) {
                throw wrong("the model's symbol " + symbol + " needs a value, such as --set " + symbol + "=64");
            }
        }
        this.longest = length.map(symbol -> given.extents().get(symbol))
                .orElseGet(() -> tokens.shape().dim(1).value());
        at(longest);
    }

    private ElaboratedModel with(ModelSettings settings) {
        return session.with(settings).open(Purpose.EVALUATE);
    }

    private static Optional<TensorType> tokens(ElaboratedModel model) {
        return model.forward().inputs().stream()
                .filter(input -> input.kind() == InputKind.DATA)
                .filter(input -> Generator.TOKENS.contains(
                        model.forward().value(input.value()).name()))
                .map(GraphInput::value)
                .map(model.forward()::type)
                .filter(type -> type.shape().rank() == 2 && type.dtype().isInteger())
                .findFirst();
    }

    /** The symbol that is an extent of the tokens. */
    private Optional<String> symbol(ElaboratedModel given, int axis) {
        for (String symbol : given.symbols()) {
            try {
                ElaboratedModel open = with(session.settings().without(symbol));
                Dim extent = tokens(open).orElseThrow().shape().dim(axis);
                if (extent.equals(Dim.symbol(symbol))) {
                    return Optional.of(symbol);
                }
            } catch (ModelException e) {
                // The model needs the number, and cannot be had with another.
            }
        }
        return Optional.empty();
    }

    /** Tokens that it sees at once, at most. */
    public long longest() {
        return longest;
    }

    /** Whether it can see no fewer. */
    public boolean isFixed() {
        return length.isEmpty();
    }

    /** For one text, of which it sees {@code tokens} tokens; with the output {@link Generator#LOGITS}. */
    public ElaboratedModel at(long tokens) {
        ModelSettings given = session.settings();
        ModelSettings one = batch.map(symbol -> given.with(symbol, "1")).orElse(given);
        ElaboratedModel model = with(
                length.map(symbol -> one.with(symbol, String.valueOf(tokens))).orElse(one));
        Logits found = Logits.find(model, logits)
                .orElseThrow(
                        () -> wrong("the model has no output 'logits' and not one tensor that cross_entropy scores;"
                                + " name the one that scores the next token with --logits"));
        List<String> data = model.forward().inputs().stream()
                .filter(input -> input.kind() == InputKind.DATA)
                .map(input -> model.forward().value(input.value()).name())
                .toList();
        for (String input : found.inputs()) {
            if (data.contains(input) && !Generator.TOKENS.contains(input)) {
                throw wrong("the scores of the next token depend on the input " + input + ", too, which is not there");
            }
        }
        Shape shape = model.forward().type(found.value()).shape();
        long rows = tokens(model).orElseThrow().elements();
        if (shape.rank() < 2
                || shape.elements().value() / shape.dim(shape.rank() - 1).value() != rows) {
            throw wrong("the logits are of shape " + shape + ", not [B, T, V]");
        }
        return found.asOutput(Generator.LOGITS);
    }

    /**
     * The same over new positions of a window, from what is kept of those before; empty if the model does not take
     * positions one by one.
     */
    public Optional<Continuation> continuing(long window) {
        ModelSettings given = session.settings();
        ModelSettings one = batch.map(symbol -> given.with(symbol, "1")).orElse(given);
        try {
            return length.flatMap(symbol -> Logits.find(with(one.without(symbol)), logits)
                    .flatMap(found -> ContinueText.run(found, Generator.LOGITS, symbol, window)));
        } catch (ModelException e) {
            // The body needs the number.
            return Optional.empty();
        }
    }

    /** What computes so many new positions at once. */
    public ElaboratedModel at(Continuation continuation, long positions) {
        return continuation.at(length.orElseThrow(), positions);
    }

    private ParameterException wrong(String message) {
        return new ParameterException(command, message);
    }
}
