package dev.remat.cli.pretrained;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How a model is made of a folder.
 *
 * @param task what it is for, unless the folder says so
 * @param classes of a classification
 * @param ignored keys of the configuration that are passed over
 * @param lora rank of adapters; without it all is trained
 * @param targets last names of the maps that get adapters; those of attention if there are none
 */
public record ImportSettings(
        Optional<Task> task, OptionalInt classes, List<String> ignored, OptionalInt lora, List<String> targets) {
    public ImportSettings {
        ignored = List.copyOf(ignored);
        targets = List.copyOf(targets);
    }
}
