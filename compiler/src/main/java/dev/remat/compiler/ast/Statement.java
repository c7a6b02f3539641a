package dev.remat.compiler.ast;

import dev.remat.ir.diagnostic.Location;
import java.util.List;
import java.util.Optional;

/** A statement in the body of a model or layer. */
public sealed interface Statement
        permits LayerDefinition,
                Statement.Symbols,
                Statement.Input,
                Statement.Output,
                Statement.Param,
                Statement.Binding,
                Statement.Return,
                Statement.Repeat,
                Statement.If,
                Statement.Pinned,
                Statement.Recompute,
                Statement.Segments,
                Statement.Chunks,
                Statement.Stage {
    Location location();

    /** A statement that gives values to names. */
    sealed interface Binding extends Statement {
        List<Target> targets();

        /** All names that it binds, from the left. */
        default List<Identifier> names() {
            return targets().stream().flatMap(target -> target.names().stream()).toList();
        }
    }

    /** {@code symbol B, T}: extents that are bound when a plan is made. */
    record Symbols(Location location, List<Identifier> names) implements Statement {
        public Symbols {
            names = List.copyOf(names);
        }
    }

    /** {@code input x: f32[B, 3]}. */
    record Input(Location location, Identifier name, TensorType type) implements Statement {}

    /** {@code output logits}: values that a step reports beside the loss. */
    record Output(Location location, List<Identifier> names) implements Statement {
        public Output {
            names = List.copyOf(names);
        }
    }

    /**
     * {@code param w: f32[m, n] = normal(std = 0.02)}, or {@code buffer table: i64[1, n]}, which no loss trains.
     *
     * @param initializer of a buffer may be left out: zeros then, unless a file has it
     */
    record Param(Location location, boolean trained, Identifier name, TensorType type, Optional<Expression> initializer)
            implements Statement {
        /** The word it begins with. */
        public String word() {
            return trained ? "param" : "buffer";
        }
    }

    /** {@code let half = width / 2}: names for hyper-parameters; several targets take the elements of a tuple. */
    record Let(Location location, List<Target> targets, Expression value) implements Binding {
        public Let {
            targets = List.copyOf(targets);
        }
    }

    /** {@code q, k, v = split(x, 3)}: binds or rebinds names; several targets take the elements of a tuple. */
    record Assign(Location location, List<Target> targets, Expression value) implements Binding {
        public Assign {
            targets = List.copyOf(targets);
        }
    }

    /** {@code return x} or, as a tuple, {@code return h, c}. */
    record Return(Location location, Expression value) implements Statement {}

    /** {@code repeat depth { … }}: names that the body rebinds carry their values into the next round. */
    record Repeat(Location location, Expression count, Block body) implements Statement {}

    /** {@code for (c, n) in [(64, 3), (128, 4)] { … }}: several targets take the elements of each tuple. */
    record For(Location location, List<Target> targets, Expression elements, Block body) implements Binding {
        public For {
            targets = List.copyOf(targets);
        }
    }

    /** {@code if … { … } else if … { … } else { … }} on hyper-parameters; at least one branch. */
    record If(Location location, List<Branch> branches, Optional<Block> otherwise) implements Statement {
        public If {
            branches = List.copyOf(branches);
        }
    }

    /** A condition and what holds under it. */
    record Branch(Expression condition, Block body) {}

    /**
     * {@code retain x, y}: these values are kept for the backward pass; with {@code offload} below the device.
     *
     * @param pin anything but {@code recompute}
     */
    record Pinned(Location location, Expression.Pin pin, List<Identifier> names) implements Statement {
        public Pinned {
            names = List.copyOf(names);
        }
    }

    /** {@code recompute { … }}: what the block makes inside is computed again for the backward pass. */
    record Recompute(Location location, Block body) implements Statement {}

    /** {@code segments 8 { … }}: the block is cut into that many segments, and only their borders are kept. */
    record Segments(Location location, Expression count, Block body) implements Statement {}

    /** {@code chunks 8 { … }}: the losses in the block are computed in that many chunks of rows. */
    record Chunks(Location location, Expression count, Block body) implements Statement {}

    /** {@code stage}: a model in stages is cut here. */
    record Stage(Location location) implements Statement {}
}
