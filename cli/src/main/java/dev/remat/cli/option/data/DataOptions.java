package dev.remat.cli.option.data;

import dev.remat.cli.console.Console;
import dev.remat.cli.option.PathConverter;
import dev.remat.runtime.io.ArrayDataset;
import dev.remat.runtime.io.CsvDataset;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.image.ImageDataset;
import dev.remat.runtime.text.data.LabelledText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** What is trained on. */
public final class DataOptions {
    private static final int UNREAD_NAMED = 8;
    private static final String SYNTHETIC = "synthetic";

    @Option(
            names = "--text",
            required = true,
            paramLabel = "FILE",
            description = "A text, whose bytes are tokens unless --tokenizer is given; feeds the inputs 'tokens' (or"
                    + " 'input_ids') and 'targets' of shape [B, T].")
    private Path text;

    @Option(
            names = "--data",
            required = true,
            paramLabel = "PLACE",
            converter = PlaceConverter.class,
            description =
                    "A .safetensors or .npy file or a folder of them, with an array for every input; a .csv file; a"
                            + " .csv or .jsonl file with a column of text and a label; or a folder with a sub-folder of"
                            + " images for every class; 'synthetic' makes random data.")
    private Place data;

    /** Where data lies; empty if it is made up. */
    record Place(Optional<Path> path) {}

    /** For picocli. */
    static final class PlaceConverter implements ITypeConverter<Place> {
        @Override
        public Place convert(String text) {
            return new Place(
                    text.equals(SYNTHETIC) ? Optional.empty() : Optional.of(new PathConverter().convert(text)));
        }
    }

    /** The file or folder that is read; null if there is none. */
    public Path place() {
        return text != null ? text : data.path().orElse(null);
    }

    /** Notes how labels are numbered, and what no input reads, which often is a name misspelt. */
    public static void tellRead(Dataset dataset, List<InputSpec> inputs, Console console) {
        if (dataset instanceof LabelledText text && !text.classes(inputs).isEmpty()) {
            List<String> classes = text.classes(inputs);
            console.note("labels are numbered "
                    + IntStream.range(0, classes.size())
                            .limit(UNREAD_NAMED)
                            .mapToObj(i -> i + " " + classes.get(i))
                            .collect(Collectors.joining(", "))
                    + (classes.size() > UNREAD_NAMED ? " and so on" : ""));
        }
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
     * @param texts what becomes of text; there must be nothing for other data
     * @param console told while rows are read
     */
    public Dataset open(RangeOptions ranges, ImageOptions images, TextOptions texts, Console console)
            throws IOException {
        Path place = place();
        if (place == null) {
            images.refuse();
            texts.refuse();
            return ranges.dataset();
        }
        if (Files.notExists(place)) {
            throw new NoSuchFileException(place.toString());
        }
        ranges.refuse();
        if (text == null && ImageDataset.isAt(place)) {
            texts.refuse();
            return ImageDataset.open(place, images.transform());
        }
        images.refuse();
        if (text != null) {
            return texts.text(place);
        }
        if (texts.isTextIn(place)) {
            return texts.table(place, console);
        }
        texts.refuse();
        return place.toString().endsWith(".csv")
                ? new ToldReading(CsvDataset.open(place), place, console)
                : ArrayDataset.open(place);
    }
}
