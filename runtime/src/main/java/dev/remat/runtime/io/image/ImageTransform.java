package dev.remat.runtime.io.image;

import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.InputSpec;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What becomes of an image before a model sees it: {@code (value - mean) / deviation} by channel, of values in [0, 1].
 *
 * @param resizes whether an image of another size than the input's is fitted to it, rather than refused
 * @param mean for each channel, or one for all; empty means 0
 * @param deviation for each channel, or one for all; empty means 1
 */
public record ImageTransform(boolean resizes, List<Double> mean, List<Double> deviation) {
    /** Values as they are, images of the input's size alone. */
    public static final ImageTransform NONE = new ImageTransform(false, List.of(), List.of());

    /** @throws IllegalArgumentException if a mean is not finite, or a deviation not above zero and finite */
    public ImageTransform {
        mean = List.copyOf(mean);
        deviation = List.copyOf(deviation);
        if (!mean.stream().allMatch(Double::isFinite)) {
            throw new IllegalArgumentException("a mean is a finite number");
        }
        if (!deviation.stream().allMatch(value -> value > 0 && Double.isFinite(value))) {
            throw new IllegalArgumentException("a standard deviation is a finite number above 0");
        }
    }

    /** @throws DataException if there are means or deviations for another number of channels */
    void check(InputSpec input, int channels) {
        check("means", mean, input, channels);
        check("standard deviations", deviation, input, channels);
    }

    private static void check(String what, List<Double> values, InputSpec input, int channels) {
        if (values.size() > 1 && values.size() != channels) {
            throw new DataException("there are " + values.size() + " " + what + ", and the input " + input + " has "
                    + channels + (channels == 1 ? " channel" : " channels"));
        }
    }

    double apply(double value, int channel) {
        return (value - of(mean, channel, 0)) / of(deviation, channel, 1);
    }

    private static double of(List<Double> values, int channel, double otherwise) {
        return values.isEmpty() ? otherwise : values.get(values.size() == 1 ? 0 : channel);
    }

    /** What it says about data, by name; nothing where it leaves images as they are. */
    SortedMap<String, String> identity() {
        SortedMap<String, String> identity = new TreeMap<>();
        if (resizes) {
            identity.put("resize", "bilinear");
        }
        if (!mean.isEmpty()) {
            identity.put("mean", text(mean));
        }
        if (!deviation.isEmpty()) {
            identity.put("std", text(deviation));
        }
        return identity;
    }

    private static String text(List<Double> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
