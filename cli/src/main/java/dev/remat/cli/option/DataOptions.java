package dev.remat.cli.option;

import dev.remat.runtime.io.ArrayDataset;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.io.TextDataset;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** What is trained on. */
public final class DataOptions {
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
            description = "Train on a .safetensors or .npy file or a folder of them, with an array for every input;"
                    + " 'synthetic' makes random data.")
    private String data;

    public Dataset open() throws IOException {
        if (text != null) {
            return TextDataset.open(text);
        }
        return data.equals("synthetic") ? new SyntheticDataset() : ArrayDataset.open(Path.of(data));
    }
}
