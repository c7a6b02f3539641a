package dev.remat.cli.lsp;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.remat.cli.lsp.answer.PlanLens;
import dev.remat.cli.lsp.model.ModelPlan;
import dev.remat.cli.lsp.model.Models;
import dev.remat.cli.lsp.model.PlanNotes;
import dev.remat.cli.lsp.text.Document;
import dev.remat.ir.io.AtomicFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.eclipse.lsp4j.DidChangeConfigurationParams;
import org.eclipse.lsp4j.DidChangeWatchedFilesParams;
import org.eclipse.lsp4j.ExecuteCommandParams;
import org.eclipse.lsp4j.services.WorkspaceService;

/** What editors ask about no text in particular. */
final class WorkspaceRequests implements WorkspaceService {
    private final Models models;
    private final Told told;
    private final Executor answering;

    WorkspaceRequests(Models models, Told told, Executor answering) {
        this.models = models;
        this.told = told;
        this.answering = answering;
    }

    /** Takes {@code {"plan": "--set B=8 --budget 70%"}}, or the same under {@code remat}; nothing of anything else. */
    void configure(Object settings) {
        if (settings instanceof JsonObject object) {
            JsonElement own = object.has("remat") ? object.get("remat") : object;
            if (own instanceof JsonObject inner && inner.get("plan") instanceof JsonPrimitive words) {
                models.configure(words.getAsString());
            }
        }
    }

    @Override
    public void didChangeConfiguration(DidChangeConfigurationParams params) {
        configure(params.getSettings());
    }

    /** Files that models include may have changed on disk. */
    @Override
    public void didChangeWatchedFiles(DidChangeWatchedFilesParams params) {
        models.open().forEach(models::changed);
    }

    @Override
    public CompletableFuture<Object> executeCommand(ExecuteCommandParams params) {
        if (!params.getCommand().equals(PlanLens.SHOW)) {
            return CompletableFuture.completedFuture(null);
        }
        return CompletableFuture.supplyAsync(() -> show(uri(params.getArguments())), answering);
    }

    /** That of the command, else of the only model that is open. */
    private String uri(List<Object> arguments) {
        Object first = arguments == null || arguments.isEmpty() ? "" : arguments.getFirst();
        return switch (first) {
            case JsonPrimitive given -> given.getAsString();
            case String given when !given.isEmpty() -> given;
            default -> models.open().stream().map(Document::uri).findFirst().orElse("");
        };
    }

    private Object show(String uri) {
        Optional<PlanNotes> notes = models.plan(uri).flatMap(ModelPlan::notes);
        if (notes.isEmpty()) {
            told.complain("there is no plan of this model yet; a comment such as //! plan --set B=8 --budget 70%"
                    + " asks for one");
            return null;
        }
        try {
            Path page = Files.createTempDirectory("remat-plan").resolve("plan.html");
            AtomicFile.write(page, notes.get().page().bytes());
            page.toFile().deleteOnExit();
            page.getParent().toFile().deleteOnExit();
            String written = page.toUri().toString();
            told.show(written);
            return written;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
