package dev.remat.cli.option;

import dev.remat.cli.trained.NamedTensors;
import dev.remat.cli.trained.NamesMap;
import dev.remat.cli.trained.TrainedTensors;
import dev.remat.runtime.checkpoint.Checkpoint;
import dev.remat.runtime.io.SafetensorsFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

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

    /**
     * Opens a file under the model's names.
     *
     * @param weights which parameters are used where there are averages
     */
    public TrainedTensors open(WeightsOption weights) throws IOException {
        return open(weights, NamesMap.same());
    }

    /**
     * Opens a file that may have other names.
     *
     * @param weights which parameters are used where there are averages
     * @throws ParameterException if names are given for a checkpoint, which has the model's
     */
    public TrainedTensors open(WeightsOption weights, TensorNames names, CommandLine command) throws IOException {
        if (resume != null && names.given().isPresent()) {
            throw new ParameterException(
                    command,
                    names.given().get() + " says what tensors are called in the file of --init; what --resume reads has"
                            + " the model's names");
        }
        return open(weights, names.read());
    }

    private TrainedTensors open(WeightsOption weights, NamesMap names) throws IOException {
        if (resume == null) {
            NamedTensors tensors = new NamedTensors(init, SafetensorsFile.open(init), names);
            return new TrainedTensors(init, Optional.empty(), tensors, weights.averaged());
        }
        Checkpoint checkpoint = Checkpoint.open(resume);
        NamedTensors tensors = new NamedTensors(resume, checkpoint.state(), names);
        return new TrainedTensors(resume, Optional.of(checkpoint.meta()), tensors, weights.averaged());
    }
}
