package dev.remat.compiler.syntax;

import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.io.SourceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Resolves includes against the including file, confined to the folder of the model, symbolic links followed. */
public final class FolderIncludes implements IncludeResolver {
    private final Path folder;

    /** @param model the file whose includes are resolved */
    public FolderIncludes(Path model) {
        this.folder = model.toAbsolutePath().getParent();
    }

    @Override
    public Result resolve(String path, Source from) {
        Path file;
        try {
            file = Path.of(from.file()).resolveSibling(path).normalize();
        } catch (InvalidPathException e) {
            return new Refused("E0109", "'" + path + "' is not a path");
        }
        if (!file.toAbsolutePath().normalize().startsWith(folder.normalize())) {
            return new Refused("E0110", "'" + path + "' is outside the model's folder");
        }
        try {
            if (!Files.exists(file)) {
                return new Refused("E0109", "there is no file '" + path + "' in the model's folder");
            }
            if (!file.toRealPath().startsWith(folder.toRealPath())) {
                return new Refused("E0110", "'" + path + "' leads outside the model's folder");
            }
            return new Found(SourceFiles.read(file));
        } catch (ModelException e) {
            Diagnostic reason = e.diagnostics().getFirst();
            return new Refused(reason.code(), "'" + path + "': " + reason.message());
        } catch (IOException e) {
            return new Refused("E0109", "cannot read '" + path + "': " + e.getMessage());
        }
    }
}
