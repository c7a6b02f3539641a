package dev.remat.codegen.cuda;

/**
 * How tiles of matrix products are chosen.
 *
 * @param forced label of the tile that is taken wherever it can compute the product, {@code plain_64x64}; empty leaves
 *     the choice to the model of their speed
 */
public record TilePolicy(String forced) {
    /** The fastest by the model. */
    public static final TilePolicy FASTEST = new TilePolicy("");
}
