package dev.remat.cli.option.data;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.Progress;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.Samples;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;

/**
 * Data of which every row is read before the first batch, and a terminal told so meanwhile.
 *
 * @param data closed with this
 */
record ToldReading(Dataset data, Path place, Console console) implements Dataset {
    @Override
    public Samples samples(List<InputSpec> inputs, Share share) {
        try (Progress progress = new Progress(console)) {
            progress.tell("reading the rows of " + place);
            return data.samples(inputs, share);
        }
    }

    @Override
    public List<String> unread(List<InputSpec> inputs) {
        return data.unread(inputs);
    }

    @Override
    public SortedMap<String, String> identity() {
        return data.identity();
    }

    @Override
    public void close() {
        data.close();
    }
}
