package dev.remat.compiler.chunk;

import dev.remat.ir.graph.ChunkBlock;
import dev.remat.ir.graph.Origin;

/**
 * Into how many chunks of rows losses are cut.
 *
 * @param kind who says so
 * @param count where a number is given, from 1, which leaves losses whole; else 1
 */
public record Chunks(Kind kind, int count) {
    /** Who says into how many. */
    public enum Kind {
        /** Blocks of the model. */
        AS_WRITTEN,
        /** Blocks of the model; where it has none and there is a budget, the price of the step. */
        AUTO,
        /** A number for every loss, of which one at least can be cut. */
        DEMANDED,
        /** A number for every loss that can be cut. */
        POSSIBLE
    }

    public static final Chunks AS_WRITTEN = new Chunks(Kind.AS_WRITTEN, 1);
    public static final Chunks AUTO = new Chunks(Kind.AUTO, 1);

    /** None, whatever the model says. */
    public static final Chunks OFF = new Chunks(Kind.POSSIBLE, 1);

    public Chunks {
        if (count < 1) {
            throw new IllegalArgumentException(count + " chunks");
        }
    }

    /** A number that the user asks for. */
    public static Chunks of(int count) {
        return new Chunks(Kind.DEMANDED, count);
    }

    /** A number for whatever can be cut. */
    public static Chunks wherePossible(int count) {
        return new Chunks(Kind.POSSIBLE, count);
    }

    /** Whether there is a number, whatever the model says. */
    public boolean isGiven() {
        return kind == Kind.DEMANDED || kind == Kind.POSSIBLE;
    }

    /** How many chunks a loss is cut into, by where it stands. */
    int of(Origin loss) {
        return isGiven() ? count : loss.chunks().map(ChunkBlock::count).orElse(1);
    }
}
