package dev.remat.compiler.elaborate;

import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.stage.NameListener;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.ChunkBlock;
import dev.remat.ir.graph.Region;
import dev.remat.ir.op.ShapeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** One elaboration: the graph it builds, what it finds wrong, how deep and how long it may go. */
final class Session {
    private static final int DEEPEST = 600;
    private static final long MOST_WORK = 5_000_000;
    private static final int MOST_CALLS = 100_000;

    private final GraphEmission graph;
    private final Diagnostics diagnostics;
    private final NameListener listener;
    private final ExpressionEvaluator expressions;
    private final CallEvaluator calls;
    private final StatementExecutor statements;
    private final Optimizers optimizers;
    private int depth;
    private long work;
    private int layerCalls;

    Session(GraphEmission graph, Diagnostics diagnostics, NameListener listener) {
        this.graph = graph;
        this.diagnostics = diagnostics;
        this.listener = listener;
        this.expressions = new ExpressionEvaluator(this);
        this.calls = new CallEvaluator(this);
        this.statements = new StatementExecutor(this);
        this.optimizers = new Optimizers(this);
    }

    GraphEmission graph() {
        return graph;
    }

    Diagnostics diagnostics() {
        return diagnostics;
    }

    NameListener listener() {
        return listener;
    }

    /** Tells what stands at a place; nothing of what is not known or goes without saying. */
    void tell(Location at, Datum value) {
        switch (value) {
            case Datum.Tensor tensor -> listener.tensor(at, tensor.id(), graph.type(tensor.id()));
            case Datum.Unknown _, Datum.Placeholder _, Datum.Path _ -> {}
            case Datum.IntValue _,
                    Datum.FloatValue _,
                    Datum.BoolValue _,
                    Datum.StringValue _,
                    Datum.DTypeValue _,
                    Datum.ListValue _,
                    Datum.InitializerValue _,
                    Datum.Function _,
                    Datum.None _ -> listener.other(at, value::text);
        }
    }

    ExpressionEvaluator expressions() {
        return expressions;
    }

    CallEvaluator calls() {
        return calls;
    }

    StatementExecutor statements() {
        return statements;
    }

    Optimizers optimizers() {
        return optimizers;
    }

    /** Goes {@code levels} deeper; {@link #leave} comes back. */
    void enter(int levels, Location location) {
        if (depth + levels > DEEPEST) {
            throw failure(
                    "E0305", location, 1, "layers call each other too deeply", "does a layer call itself without end?");
        }
        depth += levels;
    }

    void leave(int levels) {
        depth -= levels;
    }

    /** Counts steps of elaboration, which are bounded. */
    void spend(long steps, Location location) {
        work += steps;
        if (work > MOST_WORK) {
            work = 0;
            stop(location, "the model takes more than " + MOST_WORK + " steps to expand");
        }
    }

    /** Counts a call of a layer. Each has names and parameters of its own, so that fewer are allowed than steps. */
    void countCall(Location location) {
        if (++layerCalls > MOST_CALLS) {
            layerCalls = 0;
            stop(
                    location,
                    "the model calls layers more than " + MOST_CALLS + " times",
                    "does a layer call itself more than once? Each level then multiplies the calls");
        }
    }

    private void stop(Location location, String message, String... notes) {
        diagnostics.add(Diagnostic.error("E0305", location, message, notes));
        diagnostics.throwIfErrors();
    }

    /** Runs {@code action} in a region of the user's; one in which nothing is computed is an error. */
    <T> T inRegion(int segments, Location location, int length, Supplier<T> action) {
        int nodes = graph.nodeCount();
        int findings = diagnostics.count();
        Optional<Region> around = graph.enter(segments, location);
        try {
            T result = action.get();
            if (graph.isTraining() && graph.nodeCount() == nodes && diagnostics.count() == findings) {
                throw failure("E0401", location, length, "nothing is computed here that could be recomputed");
            }
            return result;
        } finally {
            graph.leave(around);
        }
    }

    /** Runs {@code action}, in which losses are to be cut into chunks; a block without one is an error. */
    <T> T inChunks(int count, Location location, Supplier<T> action) {
        int losses = graph.losses();
        int findings = diagnostics.count();
        Optional<ChunkBlock> around = graph.enterChunks(new ChunkBlock(count, location));
        try {
            T result = action.get();
            if (graph.losses() == losses && diagnostics.count() == findings) {
                throw failure(
                        "E0505",
                        location,
                        "chunks".length(),
                        "no loss in this block is computed in chunks",
                        "a block of 'chunks' has a cross_entropy in it, and cuts what is as wide as its logits");
            }
            return result;
        } finally {
            graph.leaveChunks(around);
        }
    }

    /** What is computed from here on may begin a stage. */
    void markStage(Location location) {
        graph.markStage().ifPresent(chunks -> {
            throw failure(
                    "E0506",
                    location,
                    "stage".length(),
                    "a stage begins outside of 'chunks', whose rows go through all of the block in turn",
                    "the block is at " + chunks.location());
        });
    }

    ElaborationAborted failure(String code, Location location, int length, String message, String... notes) {
        return new ElaborationAborted(
                Diagnostic.error(code, location, message, notes).underlining(Math.max(1, length)));
    }

    /** Runs {@code action}; what it refuses is an error at {@code location} in the call {@code within}. */
    <T> T guarded(Location location, int length, Instance within, Supplier<T> action) {
        try {
            return action.get();
        } catch (SemanticError error) {
            throw failure(error.code(), location, length, error.getMessage(), notes(error.notes(), within));
        } catch (ShapeException e) {
            throw failure("E0301", location, length, e.getMessage(), notes(List.of(), within));
        } catch (ArithmeticException e) {
            throw failure(
                    "E0303",
                    location,
                    length,
                    "a number or extent here does not fit into 64 bits",
                    notes(List.of(), within));
        } catch (IllegalArgumentException e) {
            throw failure("E0306", location, length, e.getMessage(), notes(List.of(), within));
        }
    }

    private static String[] notes(List<String> notes, Instance within) {
        List<String> all = new ArrayList<>(notes);
        if (!within.path().isEmpty()) {
            all.add("in '" + within.path() + "'");
        }
        return all.toArray(String[]::new);
    }

    /** Reports the failure unless its cause has been reported. */
    void report(ElaborationAborted failure) {
        failure.diagnostic().ifPresent(diagnostics::add);
        if (diagnostics.isFull()) {
            diagnostics.throwIfErrors();
        }
    }
}
