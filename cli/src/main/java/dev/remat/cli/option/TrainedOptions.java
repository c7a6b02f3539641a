package dev.remat.cli.option;

import dev.remat.cli.trained.TrainedTensors;
import dev.remat.runtime.checkpoint.Checkpoint;
import dev.remat.runtime.io.SafetensorsFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which trained parameters a command uses. */
public final class TrainedOptions {
    @Option(
            names = "--resume",
            required = true,
            paramLabel = "DIR",
            description = "The checkpoint that 'train --save DIR' wrote; its symbols, hyper-parameters and precision"
                    + " count where nothing else is said.")
    private Path resume;

    @Option(
            names = "--init",
            required = true,
            paramLabel = "FILE",
            description = "Parameters and running statistics by name, as safetensors.")
    private Path init;

    /** The file or folder named. */
    public Path place() {
        return resume == null ? init : resume;
    }

    /** @param weights which parameters are used where there are averages */
    public TrainedTensors open(WeightsOption weights) throws IOException {
        if (resume == null) {
            return new TrainedTensors(init, Optional.empty(), SafetensorsFile.open(init), weights.averaged());
        }
        Checkpoint checkpoint = Checkpoint.open(resume);
        return new TrainedTensors(resume, Optional.of(checkpoint.meta()), checkpoint.state(), weights.averaged());
    }
}
