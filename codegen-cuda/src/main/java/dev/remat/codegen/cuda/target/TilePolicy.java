package dev.remat.codegen.cuda.target;

/**
 * How tiles of matrix products are chosen.
 *
 * @param forced label of the tile that is taken wherever it can compute the product, {@code plain_64x64}; empty leaves
 *     the choice to the model of their speed
 * @param whole with a forced tile, whether one block computes each sum, however long it is
 */
public record TilePolicy(String forced, boolean whole) {
    /** The fastest by the model. */
    public static final TilePolicy FASTEST = new TilePolicy("");

    /** A tile whose sums are split where that is faster. */
    public TilePolicy(String forced) {
        this(forced, false);
    }
}
