package dev.remat.cli.option;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.CheckpointMeta;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.train.TrainingState;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What training left: parameters, running statistics and more.
 *
 * @param place where it was read from
 * @param meta of a checkpoint
 */
public record TrainedTensors(Path place, Optional<CheckpointMeta> meta, SafetensorsFile file) implements AutoCloseable {
    /** @throws CorruptFileException if it is a checkpoint of another model */
    public void check(ElaboratedModel model) {
        if (meta.isPresent() && !meta.get().modelHash().equals(model.hash())) {
            throw new CorruptFileException(
                    place,
                    "was trained with another model (" + model.name()
                            + " has changed, or other hyper-parameters are set)");
        }
    }

    /** @throws dev.remat.runtime.io.DataException if a tensor that the plan needs is missing or has another shape */
    public void loadInto(Executable executable) {
        new TrainingState(executable).loadAll(file::find);
    }

    @Override
    public void close() {
        file.close();
    }
}
