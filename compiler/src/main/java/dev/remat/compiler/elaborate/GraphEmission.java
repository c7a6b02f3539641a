package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Initial;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.stage.NameListener;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.ChunkBlock;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Region;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValuePin;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.Draw;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/** Builds the forward graph: keeps the location, the path and the region that nodes get, and the chain of seeds. */
final class GraphEmission implements Emission {
    private static final int MOST_NODES = 1_000_000;

    private final GraphBuilder builder;
    private final boolean training;
    private final BitSet named = new BitSet();
    private final BitSet counts = new BitSet();
    private final Map<String, ValueId> parameters = new LinkedHashMap<>();
    private final Map<String, ValueId> outputs = new LinkedHashMap<>();
    /** What an update has left of what it read. */
    private final Map<ValueId, ValueId> updated = new LinkedHashMap<>();
    /** What shared layers want to happen at the end, by the states. */
    private final Map<List<ValueId>, MeanUpdate> meanUpdates = new LinkedHashMap<>();

    private Instance instance = new Instance("");
    private Location location = Location.NONE;
    private Optional<Region> region = Optional.empty();
    private Optional<ChunkBlock> chunks = Optional.empty();
    private int losses;
    private int stages;
    private Optional<ValueId> seed = Optional.empty();
    private int draws;
    private int regions;
    private int latest = -1;
    /** Whether what is emitted belongs to a call that is not over. */
    private boolean inCall;

    GraphEmission(String name, Purpose purpose) {
        this.builder = new GraphBuilder(name);
        this.training = purpose != Purpose.EVALUATE;
    }

    /** What is emitted from now on belongs to the call at {@code place} and owns the parameters of {@code owner}. */
    void at(Location place, Instance owner) {
        if (!inCall) {
            location = place;
            instance = owner;
        }
    }

    @Override
    public Datum evaluate(LayerDefinition function, SequencedMap<String, Datum> arguments, List<Builtin> besides) {
        Environment names = new Environment(Optional.empty(), new Instance(""), CallSites.NONE);
        besides.forEach(each -> names.set(each.name(), new Functions.OfTable(each)));
        arguments.forEach(names::set);
        Diagnostics diagnostics = new Diagnostics();
        boolean outer = inCall;
        inCall = true;
        try {
            Datum result = new Session(this, diagnostics, NameListener.NONE)
                    .statements()
                    .body(function, names);
            diagnostics.inOrder().stream().findFirst().ifPresent(first -> {
                throw new SemanticError(
                        first.code(), first.message(), first.notes().toArray(String[]::new));
            });
            return result;
        } finally {
            inCall = outer;
        }
    }

    /** Opens a region and returns the one around it, to be given to {@link #leave}. */
    Optional<Region> enter(int segments, Location location) {
        Optional<Region> around = region;
        region = Optional.of(new Region(regions++, segments, location, around));
        return around;
    }

    void leave(Optional<Region> around) {
        region = around;
    }

    /** Opens a block of chunks and returns the one around it, to be given to {@link #leaveChunks}. */
    Optional<ChunkBlock> enterChunks(ChunkBlock block) {
        Optional<ChunkBlock> around = chunks;
        chunks = Optional.of(block);
        return around;
    }

    void leaveChunks(Optional<ChunkBlock> around) {
        chunks = around;
    }

    /** Has a stage begin, unless that is in a block of chunks, which it returns. */
    Optional<ChunkBlock> markStage() {
        stages += chunks.isEmpty() ? 1 : 0;
        return chunks;
    }

    /** How many losses have been computed that chunks can be of. */
    int losses() {
        return losses;
    }

    @Override
    public List<ValueId> emit(Op op, List<ValueId> operands) {
        losses += op instanceof CrossEntropy ? 1 : 0;
        return emit(op, operands, Role.FORWARD, new Origin(location, instance.path(), region, chunks, stages));
    }

    private List<ValueId> emit(Op op, List<ValueId> operands, Role role, Origin origin) {
        if (builder.nodeCount() == MOST_NODES) {
            throw new SemanticError("E0305", "the model has more than " + MOST_NODES + " operations");
        }
        List<ValueId> results = builder.at(origin).as(role).emit(op, operands);
        if (op instanceof Iota iota && iota.equals(new Iota(0, 1, IndexMap.ROW, iota.type()))) {
            counts.set(results.getFirst().index());
        }
        results.forEach(result -> {
            TensorLimits.check(type(result));
            latest = result.index();
        });
        return results;
    }

    @Override
    public TensorType type(ValueId value) {
        return builder.type(value);
    }

    @Override
    public boolean isCount(ValueId value) {
        return counts.get(value.index());
    }

    @Override
    public boolean isTraining() {
        return training;
    }

    @Override
    public void update(Update op, List<ValueId> operands) {
        List<ValueId> results =
                emit(op, operands, Role.UPDATE, new Origin(location, instance.path(), Optional.empty()));
        op.writes().forEach(write -> updated.put(operands.get(write.operand()), results.get(write.result())));
    }

    @Override
    public void updateByMean(Update op, List<ValueId> states, List<ValueId> samples) {
        MeanUpdate update = meanUpdates.computeIfAbsent(
                states, key -> new MeanUpdate(op, states, new Origin(location, instance.path(), Optional.empty())));
        if (!update.op().equals(op)) {
            throw new SemanticError(
                    "E0306",
                    "with repeated = \"mean\" every application has as many samples and the same momentum",
                    "with \"each\" they may differ");
        }
        update.add(samples);
    }

    @Override
    public ValueId dropout(ValueId x, double p) {
        return isTraining() ? random(new Dropout(p, draws++), List.of(x)) : x;
    }

    @Override
    public ValueId draw(Draw.Kind kind, long bound, TensorType type) {
        return random(new Draw(kind, bound, draws++, type), List.of());
    }

    private ValueId random(RandomOp op, List<ValueId> operands) {
        ValueId start = seed.orElseGet(
                () -> emit(new StepSeed(), List.of(), Role.FORWARD, new Origin(location, "", Optional.empty()))
                        .getFirst());
        List<ValueId> all = new ArrayList<>(operands);
        all.add(start);
        List<ValueId> results = emit(op, all);
        seed = Optional.of(results.get(1));
        latest = results.get(0).index();
        return results.get(0);
    }

    @Override
    public ValueId parameter(String name, TensorType type, Initial initial) {
        if (!type.dtype().isFloat()) {
            throw new SemanticError(
                    "E0302",
                    "a parameter has a floating point dtype, not "
                            + type.dtype().label(),
                    "what is not trained is a buffer");
        }
        return persistent(name, type, initial, InputKind.PARAMETER);
    }

    /** A tensor that outlives the step and that nothing changes. */
    ValueId buffer(String name, TensorType type, Initial initial) {
        return persistent(name, type, initial, InputKind.STATE);
    }

    @Override
    public Initial lengths(ValueId parameter, long run) {
        String name = builder.value(parameter).name();
        return new Initial.Fixed(
                new Initializer.Lengths(name, run, builder.input(parameter).initializer()));
    }

    @Override
    public ValueId state(String name, TensorType type, Initial initial, boolean repeated) {
        if (isTraining() && instance.isAppliedAgain() && !repeated) {
            throw new SemanticError(
                    "E0306",
                    "running statistics of a shared layer would be updated more than once a step",
                    "with batch_norm(x, repeated = \"each\") every application moves them, as in PyTorch, with"
                            + " \"mean\" the mean of all; layer_norm and group_norm have none");
        }
        ValueId latest = persistent(name, type, initial, InputKind.STATE);
        while (updated.containsKey(latest)) {
            latest = updated.get(latest);
        }
        return latest;
    }

    private ValueId persistent(String name, TensorType type, Initial initial, InputKind kind) {
        Optional<ValueId> known = instance.parameter(name);
        if (known.isPresent()) {
            if (!type(known.get()).equals(type)) {
                throw new SemanticError(
                        "E0301",
                        "'" + instance.path(name) + "' is shared and " + type(known.get()) + ", but " + type
                                + " is wanted here");
            }
            return known.get();
        }
        String path = instance.path(name);
        String averaged = ExecutionPlan.averagedBy(path);
        if (!averaged.equals(path)) {
            throw new SemanticError(
                    "E0202",
                    "'" + path + "' is what the average of a parameter '" + averaged + "' is called",
                    "give the call another name with 'as'");
        }
        ValueId id = input(path, type, kind, initial.of(type.shape()), location);
        instance.add(name, id);
        return id;
    }

    /** What an optimizer keeps from step to step, by the name of the variable that it is bound to first. */
    ValueId kept(TensorType type, double initial) {
        Initializer start = initial == 0 ? Initializer.ZEROS : new Initializer.Constant(initial);
        ValueId id = builder.input("state", type, InputKind.STATE, start, location);
        latest = id.index();
        return id;
    }

    String nameOf(ValueId value) {
        return builder.value(value).name();
    }

    /** A tensor that the step finds in memory. */
    ValueId input(String name, TensorType type, InputKind kind, Initializer initializer, Location location) {
        TensorLimits.check(type);
        ValueId id = builder.input(name, type, kind, initializer, location);
        latest = id.index();
        named.set(latest);
        if (kind == InputKind.PARAMETER) {
            parameters.put(builder.value(id).name(), id);
        }
        return id;
    }

    /** A mark: what has a name given by {@link #name} must be younger. */
    int latest() {
        return latest;
    }

    /** Calls {@code value} after the variable it is bound to, if it was computed since {@code mark} and has no name. */
    void name(ValueId value, String name, int mark) {
        if (!inCall && value.index() > mark && !named.get(value.index())) {
            builder.rename(value, name);
            named.set(value.index());
        }
    }

    /** Pins a value; the other pin that it has already, if so. */
    Optional<ValuePin> pin(ValueId value, ValuePin pin) {
        Optional<ValuePin> other = builder.value(value).pin().filter(before -> before.kind() != pin.kind());
        if (other.isEmpty()) {
            builder.pin(value, pin);
        }
        return other;
    }

    void output(String name, ValueId value) {
        outputs.put(name, value);
        builder.output(name, value);
    }

    /** What is given out under {@code name} so far. */
    Optional<ValueId> output(String name) {
        return Optional.ofNullable(outputs.get(name));
    }

    boolean hasOutputs() {
        return !outputs.isEmpty();
    }

    /** Names of the parameters so far. */
    List<String> parameters() {
        return List.copyOf(parameters.keySet());
    }

    TensorType parameterType(String parameter) {
        return type(parameters.get(parameter));
    }

    int nodeCount() {
        return builder.nodeCount();
    }

    Graph build() {
        meanUpdates.values().forEach(update -> update.emit(builder));
        return builder.build();
    }

    /** An update of states that a shared layer's applications ask for together: by the mean of their samples. */
    private record MeanUpdate(Update op, List<ValueId> states, Origin origin, List<List<ValueId>> samples) {
        MeanUpdate(Update op, List<ValueId> states, Origin origin) {
            this(op, states, origin, new ArrayList<>());
        }

        void add(List<ValueId> more) {
            samples.add(more);
        }

        void emit(GraphBuilder builder) {
            builder.at(origin).as(Role.FORWARD);
            List<ValueId> operands = new ArrayList<>(states);
            for (int i = 0; i < states.size(); i++) {
                int sample = i;
                ValueId sum = samples.stream()
                        .map(each -> each.get(sample))
                        .reduce(builder::add)
                        .orElseThrow();
                operands.add(samples.size() == 1 ? sum : builder.scale(sum, 1.0 / samples.size()));
            }
            builder.as(Role.UPDATE).emit(op, operands);
        }
    }
}
