package dev.remat.cli.onnx;

import dev.remat.compiler.onnx.read.DamagedOnnxException;
import dev.remat.compiler.onnx.read.OnnxFile;
import dev.remat.compiler.onnx.source.ImportRequest;
import dev.remat.compiler.onnx.source.ImportedGraph;
import dev.remat.compiler.onnx.source.OnnxImport;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.StoredTensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** A file of ONNX to import, open as long as its weights are read. */
public final class OnnxSource implements AutoCloseable {
    private final Path path;
    private final OnnxFile file;

    private OnnxSource(Path path, OnnxFile file) {
        this.path = path;
        this.file = file;
    }

    /**
     * @throws CorruptFileException if it is damaged or no model of ONNX
     * @throws IOException if it cannot be read
     */
    public static OnnxSource open(Path path, boolean followLinks) throws IOException {
        try {
            return new OnnxSource(path, OnnxFile.open(path, followLinks));
        } catch (DamagedOnnxException e) {
            throw new CorruptFileException(path, e.getMessage(), e);
        }
    }

    /**
     * The model, whose text any command reads.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if something in it cannot be imported (E0707 to E0709)
     */
    public ImportedGraph run(ImportRequest request) {
        return run(request, new StageRunner(Optional.empty()));
    }

    /**
     * The same.
     *
     * @param stages which receives what each pass made
     */
    public ImportedGraph run(ImportRequest request, StageRunner stages) {
        ImportedGraph imported = checked(() -> OnnxImport.run(file, request, stages));
        CheckText.run(path, imported.text());
        return imported;
    }

    /** Weights of it, under the names of the text. */
    public List<StoredTensor> weights(ImportedGraph imported) {
        return checked(() -> StoreWeights.run(file, imported.weights()));
    }

    private <T> T checked(Supplier<T> work) {
        try {
            return work.get();
        } catch (DamagedOnnxException e) {
            throw new CorruptFileException(path, e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
