package dev.remat.cli.option.data;

import dev.remat.cli.console.Console;
import dev.remat.runtime.io.ArrayDataset;
import dev.remat.runtime.io.CsvDataset;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.io.ImageDataset;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.TextDataset;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** What is trained on. */
public final class DataOptions {
    private static final int UNREAD_NAMED = 8;

    @Option(
            names = "--text",
            required = true,
            paramLabel = "FILE",
            description = "Train on a file's bytes as tokens; feeds the inputs 'tokens' and 'targets' of shape [B, T].")
    private Path text;

    @Option(
            names = "--data",
            required = true,
            paramLabel = "PLACE",
            description =
                    "A .safetensors or .npy file or a folder of them, with an array for every input; a .csv file; or a"
                            + " folder with a sub-folder of images for every class; 'synthetic' makes random data.")
    private String data;

    /** Notes what the data holds and no input reads, which often is a name misspelt. */
    public static void tellUnread(Dataset dataset, List<InputSpec> inputs, Console console) {
        List<String> unread = dataset.unread(inputs);
        if (!unread.isEmpty()) {
            List<String> named = unread.stream().limit(UNREAD_NAMED).toList();
            console.note("no input of the model reads " + String.join(", ", named)
                    + (unread.size() > named.size() ? " and " + (unread.size() - named.size()) + " more" : "")
                    + " of the data");
        }
    }

    /**
     * Opens it.
     *
     * @param ranges of synthetic data; no other has any
     * @param images what becomes of images; there must be nothing for other data
     */
    public Dataset open(RangeOptions ranges, ImageOptions images) throws IOException {
        boolean synthetic = text == null && data.equals("synthetic");
        if (!synthetic) {
            ranges.refuse();
        }
        if (text == null && !synthetic && ImageDataset.isAt(Path.of(data))) {
            return ImageDataset.open(Path.of(data), images.transform());
        }
        images.refuse();
        if (synthetic) {
            return ranges.dataset();
        }
        if (text != null) {
            return TextDataset.open(text);
        }
        Path place = Path.of(data);
        return data.endsWith(".csv") ? CsvDataset.open(place) : ArrayDataset.open(place);
    }
}
