package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.ast.Parameter;
import dev.remat.compiler.ast.ParameterType;
import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Kind;
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
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.op.SeedOp;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The optimizers of {@code train { optimizer … }}: those of the prelude, with PyTorch's arguments and defaults, and the
 * model's own.
 */
public final class Optimizers {
    private static final String CLIP_NORM = "clip_norm";
    private static final SequencedMap<String, Prelude.Written> PRELUDE = prelude();

    private final Session session;
    private final Map<String, Own> own = new LinkedHashMap<>();
    private final Set<Checked> checked = new LinkedHashSet<>();

    /** An optimizer of the model. */
    private record Own(LayerDefinition definition, Environment around) {}

    private record Checked(Optimizer optimizer, TensorType parameter) {}

    Optimizers(Session session) {
        this.session = session;
    }

    private static SequencedMap<String, Prelude.Written> prelude() {
        SequencedMap<String, Prelude.Written> byName = new LinkedHashMap<>();
        Prelude.optimizers("optimizers.model").forEach(written -> byName.put(written.name(), written));
        return byName;
    }

    /** Signatures of the prelude's by name. */
    public static SequencedMap<String, Signature> table() {
        SequencedMap<String, Signature> table = new LinkedHashMap<>();
        PRELUDE.forEach((name, text) -> table.put(name, clipped(text.signature())));
        return table;
    }

    private static Signature clipped(Signature signature) {
        return Signature.of(signature.text() + ", " + CLIP_NORM + ": float = none");
    }

    /** Makes an optimizer of the model known, which goes before one of the prelude. */
    void add(LayerDefinition definition, Environment around) {
        Own before = own.putIfAbsent(definition.name().text(), new Own(definition, around));
        if (before != null) {
            throw failure(
                    definition,
                    "E0202",
                    "'" + definition.name() + "' is declared twice",
                    "first at " + before.definition.name().location());
        }
        boolean hasRate = definition.parameters().stream()
                .anyMatch(parameter -> parameter.name().text().equals(Optimizer.RATE));
        if (!hasRate) {
            throw failure(
                    definition,
                    "E0402",
                    "an optimizer takes 'lr', the rate that a schedule changes",
                    "such as: optimizer " + definition.name() + "(lr: float = 0.001) { … }");
        }
    }

    private ElaborationAborted failure(LayerDefinition definition, String code, String message, String note) {
        return session.failure(
                code, definition.name().location(), definition.name().text().length(), message, note);
    }

    private Signature signature(Own written) {
        Environment names = new Environment(Optional.of(written.around), new Instance(""), CallSites.NONE);
        List<Signature.Slot> slots = new ArrayList<>();
        for (Parameter parameter : written.definition.parameters()) {
            Optional<Datum> fallback =
                    parameter.fallback().map(value -> session.expressions().known(value, names));
            fallback.ifPresent(value -> names.set(parameter.name().text(), value));
            slots.add(new Signature.Slot(parameter.name().text(), kind(parameter), fallback));
        }
        slots.add(new Signature.Slot(CLIP_NORM, Kind.FLOAT, Optional.of(new Datum.None())));
        String text = slots.stream()
                .map(slot -> slot.name() + ": " + slot.kind().label()
                        + slot.fallback().map(value -> " = " + value.text()).orElse(""))
                .collect(Collectors.joining(", "));
        return new Signature(
                text, slots, slots.stream().map(Signature.Slot::name).toList());
    }

    private static Kind kind(Parameter parameter) {
        if (parameter.name().text().equals(Optimizer.RATE)) {
            return Kind.FLOAT;
        }
        return parameter
                .type()
                .map(type -> switch (type) {
                    case ParameterType.Simple simple ->
                        switch (simple.name()) {
                            case "float" -> Kind.FLOAT;
                            case "int" -> Kind.INT;
                            case "bool" -> Kind.BOOL;
                            case "string" -> Kind.STRING;
                            default -> Kind.ANY;
                        };
                    case ParameterType.ListOf _, ParameterType.TupleOf _ -> Kind.LIST;
                })
                .orElse(Kind.ANY);
    }

    /** An optimizer, its learning rate before the schedule, and what bounds the gradients. */
    record Chosen(Optimizer optimizer, double rate, Optional<GradientClip> clip) {}

    Chosen read(SettingReader reader, Setting setting) {
        SequencedMap<String, Signature> table = table();
        own.forEach((name, written) -> table.put(name, signature(written)));
        SettingReader.Choice choice = reader.choice(setting, table);
        Location clipped =
                argument(SettingReader.expression(setting), CLIP_NORM).orElse(choice.location());
        SequencedMap<String, Datum> values = table.get(choice.name()).values(choice.arguments());
        values.remove(CLIP_NORM);
        Written optimizer = Optional.ofNullable(own.get(choice.name()))
                .map(written -> new Written(written.definition, values, List.of(), Optional.of(written.around)))
                .orElseGet(() -> {
                    Prelude.Written text = PRELUDE.get(choice.name());
                    return new Written(text.definition(), values, text.besides(), Optional.empty());
                });
        return reader.about(choice, () -> chosen(optimizer, choice.arguments(), clipped));
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
    private static Chosen chosen(Written optimizer, Arguments args, Location clipped) {
        double rate = args.real(Optimizer.RATE);
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
        if (!optimizer.isOwn()) {
            try {
                // What is wrong with arguments is so for any parameter.
                optimizer.step(TensorType.of(DType.F32, 2, 3));
            } catch (SemanticError error) {
                throw error.code().equals("E0306")
                        ? new SemanticError(
                                "E0402", error.getMessage(), error.notes().toArray(String[]::new))
                        : error;
            }
        }
        return new Chosen(optimizer, rate, clip);
    }

    /** Reports what one of the model's own says that does not suit a parameter. */
    void check(Optimizer optimizer, TensorType parameter) {
        if (optimizer instanceof Written written && written.isOwn() && checked.add(new Checked(optimizer, parameter))) {
            written.findings(parameter).forEach(session.diagnostics()::add);
        }
    }

    /**
     * An optimizer that is written in the language, with its arguments.
     *
     * @param besides what its body may call beside the builtins of every model
     * @param around names of the file, if it is of a model
     */
    private record Written(
            LayerDefinition definition,
            SequencedMap<String, Datum> arguments,
            List<Builtin> besides,
            Optional<Environment> around)
            implements Optimizer {
        private static final TensorType SCALAR = TensorType.scalar(DType.F64);

        private record Step(Graph graph, List<Diagnostic> findings) {}

        @Override
        public String name() {
            return definition.name().text();
        }

        boolean isOwn() {
            return around.isPresent();
        }

        /** What its body says that does not suit a parameter. */
        List<Diagnostic> findings(TensorType parameter) {
            return run(parameter).findings;
        }

        /** @throws SemanticError about what its body says first that does not suit */
        @Override
        public Graph step(TensorType parameter) {
            Step step = run(parameter);
            step.findings.stream().findFirst().ifPresent(first -> {
                throw new SemanticError(
                        first.code(), first.message(), first.notes().toArray(String[]::new));
            });
            return step.graph;
        }

        private Step run(TensorType parameter) {
            Session session =
                    new Session(new GraphEmission(name(), Purpose.TRAIN), new Diagnostics(), NameListener.NONE);
            Environment names = new Environment(around, new Instance(""), CallSites.of(definition.body()));
            List<ValueId> kept = new ArrayList<>();
            tools(parameter, kept).forEach(tool -> names.set(tool.name(), new Functions.OfTable(tool)));
            besides.forEach(each -> names.set(each.name(), new Functions.OfTable(each)));
            arguments.forEach(names::set);
            TensorType tensor = parameter.with(DType.F64);
            for (String given : List.of(PARAMETER, GRADIENT, RATE, STEP)) {
                TensorType type = given.equals(PARAMETER) || given.equals(GRADIENT) ? tensor : SCALAR;
                names.set(
                        given,
                        new Datum.Tensor(session.graph()
                                .input(given, type, InputKind.DATA, Initializer.ZEROS, definition.location())));
            }
            session.statements().block(definition.body(), names);
            if (!session.diagnostics().hasErrors()) {
                give(PARAMETER, tensor, names, session);
                kept.forEach(state ->
                        give(session.graph().nameOf(state), session.graph().type(state), names, session));
            }
            Graph graph = session.graph().build();
            if (!session.diagnostics().hasErrors() && !isPure(graph, kept.size())) {
                refuse(session, "E0306", "an optimizer has no parameters, buffers or random draws of its own");
            }
            return new Step(graph, session.diagnostics().inOrder());
        }

        /** Lets what a name stands for in the end be what becomes of the tensor of this name. */
        private void give(String name, TensorType type, Environment names, Session session) {
            Optional<Datum> made = names.find(name);
            if (made.filter(Datum.Function.class::isInstance).isPresent()) {
                refuse(session, "E0201", "what 'state' gives is bound to a name first", "such as: m = state()");
            } else if (made.orElseThrow() instanceof Datum.Tensor(ValueId tensor)
                    && session.graph().type(tensor).equals(type)) {
                session.graph().output(name, tensor);
            } else {
                String text = made.get() instanceof Datum.Tensor(ValueId tensor)
                        ? session.graph().type(tensor).toString()
                        : made.get().kind();
                refuse(session, "E0302", "'" + name + "' is " + type + ", and becomes " + text);
            }
        }

        private void refuse(Session session, String code, String message, String... notes) {
            session.diagnostics()
                    .add(Diagnostic.error(code, definition.name().location(), message, notes)
                            .underlining(name().length()));
        }

        private static boolean isPure(Graph graph, int states) {
            return graph.inputs().stream()
                                    .filter(input -> input.kind() != InputKind.DATA)
                                    .count()
                            == states
                    && graph.inputs().stream().noneMatch(input -> input.kind() == InputKind.PARAMETER)
                    && graph.nodes().stream()
                            .noneMatch(node -> node.op() instanceof SeedOp || node.op() instanceof Update);
        }

        private static List<Builtin> tools(TensorType parameter, List<ValueId> kept) {
            double resolution = parameter.dtype() == DType.F64 ? 0x1p-52 : 0x1p-23;
            return List.of(
                    Builtin.function("state", "initial: float = 0.0, like: tensor = none", "", (args, out) -> {
                        TensorType like = args.isGiven("like") ? out.type(args.tensor("like")) : parameter;
                        kept.add(((GraphEmission) out).kept(like.with(DType.F64), args.real("initial")));
                        return new Datum.Tensor(kept.getLast());
                    }),
                    Builtin.function("resolution", "", "", (_, _) -> new Datum.FloatValue(resolution)));
        }
    }
}
