package dev.remat.cli.option.data;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.runtime.io.image.ImageTransform;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What becomes of the images of a folder. */
public final class ImageOptions extends CheckedOptions {
    @Option(
            names = "--resize",
            description = "Fit images to the input's size: scaled bilinearly until they cover it, then cut around the"
                    + " centre.")
    private boolean resize;

    @Option(
            names = "--mean",
            paramLabel = "X",
            split = ",",
            description = "What is subtracted from pixels in [0, 1]: a number, or one for each channel.")
    private List<Double> mean = new ArrayList<>();

    @Option(
            names = "--std",
            paramLabel = "X",
            split = ",",
            description = "What pixels are divided by then: a number, or one for each channel.")
    private List<Double> deviation = new ArrayList<>();

    /** @throws ParameterException if there are any */
    void refuse() {
        if (resize || !mean.isEmpty() || !deviation.isEmpty()) {
            throw misuse("--resize, --mean and --std are for --data with a folder of images");
        }
    }

    /** @throws ParameterException if numbers are out of range */
    ImageTransform transform() {
        try {
            return new ImageTransform(resize, mean, deviation);
        } catch (IllegalArgumentException e) {
            throw misuse("--mean, --std: " + e.getMessage());
        }
    }
}
