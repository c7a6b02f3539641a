package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Signature;
import dev.remat.compiler.builtin.prelude.Prelude;
import dev.remat.compiler.stage.NameListener;
import dev.remat.compiler.training.GradientClip;
import dev.remat.compiler.training.Optimizer;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.InputKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/** The optimizers of {@code train { optimizer … }}, with PyTorch's arguments and defaults. */
public final class Optimizers {
    private static final String CLIP_NORM = "clip_norm";
    private static final TensorType SCALAR = TensorType.scalar(DType.F64);
    private static final SequencedMap<String, Prelude.Written> PRELUDE = prelude();

    private Optimizers() {}

    private static SequencedMap<String, Prelude.Written> prelude() {
        SequencedMap<String, Prelude.Written> byName = new LinkedHashMap<>();
        Prelude.optimizers("optimizers.model").forEach(written -> byName.put(written.name(), written));
        return byName;
    }

    /** Signatures by name. */
    public static SequencedMap<String, Signature> table() {
        SequencedMap<String, Signature> table = new LinkedHashMap<>();
        PRELUDE.forEach((name, written) ->
                table.put(name, Signature.of(written.signature().text() + ", " + CLIP_NORM + ": float = none")));
        return table;
    }

    /** An optimizer of the table, with arguments that it is not asked to check. */
    public static Optimizer of(String name, SequencedMap<String, Datum> given) {
        return written(name, Arguments.of(name, table().get(name), given));
    }

    private static Written written(String name, Arguments arguments) {
        Prelude.Written written = PRELUDE.get(name);
        return new Written(written.definition(), written.values(arguments), written.besides());
    }

    /** An optimizer, its learning rate before the schedule, and what bounds the gradients. */
    record Chosen(Optimizer optimizer, double rate, Optional<GradientClip> clip) {}

    static Chosen read(SettingReader reader, Setting setting) {
        SettingReader.Choice choice = reader.choice(setting, table());
        Location clipped =
                argument(SettingReader.expression(setting), CLIP_NORM).orElse(choice.location());
        return reader.about(choice, () -> chosen(choice.name(), choice.arguments(), clipped));
    }

    private static Optional<Location> argument(Expression expression, String name) {
        return expression instanceof Expression.Call call
                ? call.arguments().stream()
                        .flatMap(argument -> argument.name().stream())
                        .filter(written -> written.text().equals(name))
                        .map(Identifier::location)
                        .findFirst()
                : Optional.empty();
    }

    /** @param clipped where {@code clip_norm} is, if it is given */
    private static Chosen chosen(String name, Arguments args, Location clipped) {
        double rate = args.real("lr");
        Optional<GradientClip> clip = args.isGiven(CLIP_NORM)
                ? Optional.of(new GradientClip(args.real(CLIP_NORM), clipped))
                : Optional.empty();
        if (!(rate >= 0) || Double.isInfinite(rate)) {
            throw new SemanticError("E0402", "lr must be finite and not negative, and is " + rate);
        }
        double norm = clip.map(GradientClip::norm).orElse(1.0);
        if (!(norm > 0) || Double.isInfinite(norm)) {
            throw new SemanticError("E0402", "clip_norm must be finite and positive, and is " + norm);
        }
        Written optimizer = written(name, args);
        try {
            // What is wrong with arguments is so for any parameter.
            optimizer.step(TensorType.of(DType.F32, 2, 3));
        } catch (SemanticError error) {
            throw error.code().equals("E0306")
                    ? new SemanticError(
                            "E0402", error.getMessage(), error.notes().toArray(String[]::new))
                    : error;
        }
        return new Chosen(optimizer, rate, clip);
    }

    /** An optimizer that is written in the language, with its arguments. */
    private record Written(LayerDefinition definition, SequencedMap<String, Datum> arguments, List<Builtin> besides)
            implements Optimizer {
        @Override
        public String name() {
            return definition.name().text();
        }

        /** @throws SemanticError about what its body says first that does not suit */
        @Override
        public Graph step(TensorType type) {
            return step(
                    type, new Session(new GraphEmission(name(), Purpose.TRAIN), new Diagnostics(), NameListener.NONE));
        }

        private Graph step(TensorType type, Session session) {
            GraphEmission graph = session.graph();
            Environment names = new Environment(Optional.empty(), new Instance(""), CallSites.of(definition.body()));
            List<ValueId> kept = new ArrayList<>();
            tools(type, kept).forEach(tool -> names.set(tool.name(), new Functions.OfTable(tool)));
            besides.forEach(each -> names.set(each.name(), new Functions.OfTable(each)));
            arguments.forEach(names::set);
            TensorType tensor = type.with(DType.F64);
            for (String given : List.of(PARAMETER, GRADIENT, RATE, STEP)) {
                TensorType of = given.equals(PARAMETER) || given.equals(GRADIENT) ? tensor : SCALAR;
                names.set(
                        given,
                        new Datum.Tensor(
                                graph.input(given, of, InputKind.DATA, Initializer.ZEROS, definition.location())));
            }
            session.statements().block(definition.body(), names);
            session.diagnostics().inOrder().stream().findFirst().ifPresent(first -> {
                throw new SemanticError(
                        first.code(), first.message(), first.notes().toArray(String[]::new));
            });
            graph.output(PARAMETER, made(PARAMETER, tensor, names, graph));
            for (ValueId state : kept) {
                String name = graph.nameOf(state);
                graph.output(name, made(name, graph.type(state), names, graph));
            }
            return graph.build();
        }

        private static ValueId made(String name, TensorType type, Environment names, GraphEmission graph) {
            if (names.find(name).orElseThrow() instanceof Datum.Tensor made
                    && graph.type(made.id()).equals(type)) {
                return made.id();
            }
            throw new SemanticError("E0302", "'" + name + "' is " + type + " and stays so");
        }

        private static List<Builtin> tools(TensorType type, List<ValueId> kept) {
            double resolution = type.dtype() == DType.F64 ? 0x1p-52 : 0x1p-23;
            return List.of(
                    Builtin.function("state", "initial: float = 0.0, like: tensor = none", "", (args, out) -> {
                        TensorType kind = args.isGiven("like") ? out.type(args.tensor("like")) : type;
                        kept.add(((GraphEmission) out).kept(kind.with(DType.F64), args.real("initial")));
                        return new Datum.Tensor(kept.getLast());
                    }),
                    Builtin.function("resolution", "", "", (_, _) -> new Datum.FloatValue(resolution)));
        }
    }
}
