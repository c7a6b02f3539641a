package dev.remat.cli.lsp;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.Version;
import dev.remat.cli.lsp.answer.PlanLens;
import dev.remat.cli.lsp.answer.TokenTypes;
import dev.remat.cli.lsp.model.Documents;
import dev.remat.cli.lsp.model.Models;
import dev.remat.cli.lsp.text.Document;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.eclipse.lsp4j.CodeActionKind;
import org.eclipse.lsp4j.CodeActionOptions;
import org.eclipse.lsp4j.CodeLensOptions;
import org.eclipse.lsp4j.CompletionOptions;
import org.eclipse.lsp4j.ExecuteCommandOptions;
import org.eclipse.lsp4j.InitializeParams;
import org.eclipse.lsp4j.InitializeResult;
import org.eclipse.lsp4j.InitializedParams;
import org.eclipse.lsp4j.RenameOptions;
import org.eclipse.lsp4j.SaveOptions;
import org.eclipse.lsp4j.SemanticTokensWithRegistrationOptions;
import org.eclipse.lsp4j.ServerCapabilities;
import org.eclipse.lsp4j.ServerInfo;
import org.eclipse.lsp4j.SetTraceParams;
import org.eclipse.lsp4j.SignatureHelpOptions;
import org.eclipse.lsp4j.TextDocumentSyncKind;
import org.eclipse.lsp4j.TextDocumentSyncOptions;
import org.eclipse.lsp4j.WorkspaceFolder;
import org.eclipse.lsp4j.jsonrpc.Launcher;
import org.eclipse.lsp4j.launch.LSPLauncher;
import org.eclipse.lsp4j.services.LanguageClient;
import org.eclipse.lsp4j.services.LanguageClientAware;
import org.eclipse.lsp4j.services.LanguageServer;
import org.eclipse.lsp4j.services.TextDocumentService;
import org.eclipse.lsp4j.services.WorkspaceService;

/** The server of one editor, from its first word to its last. */
public final class LanguageService implements LanguageServer, LanguageClientAware {
    private final ExecutorService answering = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "answers");
        thread.setDaemon(true);
        return thread;
    });
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
    private final Documents documents = new Documents();
    private final Told told = new Told(documents);
    private final Models models;
    private final TextRequests texts;
    private final WorkspaceRequests workspace;
    private boolean shutDown;

    /** @param console of which the cache is used, and nothing else */
    public LanguageService(Console console) {
        Console silent = new Console(
                OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), false, false, console.cache());
        this.models = new Models(documents, silent, told);
        told.of(models);
        this.texts = new TextRequests(documents, models, told, answering);
        this.workspace = new WorkspaceRequests(models, told, answering);
    }

    /**
     * Serves until the editor says that it ends, or is gone.
     *
     * @return whether it ended as the protocol wants it
     */
    public boolean serve(InputStream in, OutputStream out) throws InterruptedException, ExecutionException {
        Launcher<LanguageClient> launcher = LSPLauncher.createServerLauncher(this, in, out);
        connect(launcher.getRemoteProxy());
        Future<Void> listening = launcher.startListening();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                listening.get();
            } catch (InterruptedException | ExecutionException e) {
                told.failed("", e);
            }
            // Without an editor there is nobody to serve.
            ended.complete(shutDown);
        });
        boolean orderly = ended.get();
        models.close();
        answering.shutdownNow();
        return orderly;
    }

    @Override
    public void connect(LanguageClient client) {
        told.connect(client);
    }

    @Override
    public CompletableFuture<InitializeResult> initialize(InitializeParams params) {
        told.initialize(params.getCapabilities());
        texts.initialize(params.getCapabilities());
        workspace.configure(params.getInitializationOptions());
        documents.setFolders(folders(params));
        return CompletableFuture.completedFuture(
                new InitializeResult(capabilities(), new ServerInfo("remat", Version.REMAT)));
    }

    private static List<Path> folders(InitializeParams params) {
        List<Path> folders = new ArrayList<>();
        List<WorkspaceFolder> opened = params.getWorkspaceFolders() == null ? List.of() : params.getWorkspaceFolders();
        opened.forEach(folder -> Document.pathOf(folder.getUri()).ifPresent(folders::add));
        return folders;
    }

    private static ServerCapabilities capabilities() {
        ServerCapabilities can = new ServerCapabilities();
        TextDocumentSyncOptions sync = new TextDocumentSyncOptions();
        sync.setOpenClose(true);
        sync.setChange(TextDocumentSyncKind.Incremental);
        sync.setSave(new SaveOptions(false));
        can.setTextDocumentSync(sync);
        can.setCompletionProvider(new CompletionOptions(false, List.of(".", "(", ",", "\"", ":", ">")));
        can.setSignatureHelpProvider(new SignatureHelpOptions(List.of("(", ",", "=")));
        can.setHoverProvider(true);
        can.setDefinitionProvider(true);
        can.setReferencesProvider(true);
        can.setDocumentHighlightProvider(true);
        can.setDocumentSymbolProvider(true);
        can.setFoldingRangeProvider(true);
        can.setDocumentFormattingProvider(true);
        can.setRenameProvider(new RenameOptions(true));
        can.setCodeActionProvider(new CodeActionOptions(List.of(CodeActionKind.QuickFix)));
        can.setCodeLensProvider(new CodeLensOptions(false));
        can.setInlayHintProvider(true);
        can.setSemanticTokensProvider(new SemanticTokensWithRegistrationOptions(TokenTypes.LEGEND, true));
        can.setExecuteCommandProvider(new ExecuteCommandOptions(List.of(PlanLens.SHOW)));
        return can;
    }

    @Override
    public void initialized(InitializedParams params) {}

    @Override
    public CompletableFuture<Object> shutdown() {
        shutDown = true;
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void exit() {
        ended.complete(shutDown);
    }

    @Override
    public void setTrace(SetTraceParams params) {}

    @Override
    public TextDocumentService getTextDocumentService() {
        return texts;
    }

    @Override
    public WorkspaceService getWorkspaceService() {
        return workspace;
    }
}
