package dev.remat.ir.op;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Order of the axes of images: samples first, then channels or pixels. Models know the first one alone. */
public enum ImageLayout {
    /** Planes of pixels, one for each channel. */
    NCHW(1, 2),
    /** The channels of a pixel side by side. */
    NHWC(3, 1);

    private static final String ATTRIBUTE = "layout";

    private final int channels;
    private final int rows;

    ImageLayout(int channels, int rows) {
        this.channels = channels;
        this.rows = rows;
    }

    /** The one that attributes name; they name it where models could not. */
    static ImageLayout parse(Attributes attributes) {
        return attributes.has(ATTRIBUTE) ? valueOf(attributes.word(ATTRIBUTE).toUpperCase(Locale.ROOT)) : NCHW;
    }

    Attributes describe(Attributes attributes) {
        return this == NCHW ? attributes : attributes.with(ATTRIBUTE, name().toLowerCase(Locale.ROOT));
    }

    public Dim channels(TensorType images) {
        return images.dim(channels);
    }

    public Dim height(TensorType images) {
        return images.dim(rows);
    }

    public Dim width(TensorType images) {
        return images.dim(rows + 1);
    }

    /** Shape of images with these extents. */
    public Shape shape(Dim images, Dim channelCount, Dim height, Dim width) {
        Dim[] dims = new Dim[4];
        dims[0] = images;
        dims[channels] = channelCount;
        dims[rows] = height;
        dims[rows + 1] = width;
        return new Shape(Arrays.asList(dims));
    }

    /** Where axis {@code axis} of images in {@link #NCHW} is in this layout. */
    public int axis(int axis) {
        return switch (axis) {
            case 0 -> 0;
            case 1 -> channels;
            case 2 -> rows;
            case 3 -> rows + 1;
            default -> throw new IllegalArgumentException("images have no axis " + axis);
        };
    }

    /** What belongs to the axes of images in {@link #NCHW}, in the order of this layout's axes. */
    public <T> List<T> reorder(List<T> ofAxes) {
        List<T> reordered = new ArrayList<>(ofAxes);
        for (int axis = 0; axis < ofAxes.size(); axis++) {
            reordered.set(axis(axis), ofAxes.get(axis));
        }
        return List.copyOf(reordered);
    }

    /** From images in {@link #NCHW} to this layout. */
    public Transpose fromPlanes() {
        return new Transpose(reorder(List.of(0, 1, 2, 3)));
    }
}
