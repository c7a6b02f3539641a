package dev.remat.cli.lsp;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.eclipse.lsp4j.ClientCapabilities;
import org.eclipse.lsp4j.Diagnostic;
import org.eclipse.lsp4j.DidChangeTextDocumentParams;
import org.eclipse.lsp4j.DidCloseTextDocumentParams;
import org.eclipse.lsp4j.DidOpenTextDocumentParams;
import org.eclipse.lsp4j.DidSaveTextDocumentParams;
import org.eclipse.lsp4j.InitializeParams;
import org.eclipse.lsp4j.InitializeResult;
import org.eclipse.lsp4j.InitializedParams;
import org.eclipse.lsp4j.MessageActionItem;
import org.eclipse.lsp4j.MessageParams;
import org.eclipse.lsp4j.Position;
import org.eclipse.lsp4j.PublishDiagnosticsParams;
import org.eclipse.lsp4j.Range;
import org.eclipse.lsp4j.ShowMessageRequestParams;
import org.eclipse.lsp4j.TextDocumentContentChangeEvent;
import org.eclipse.lsp4j.TextDocumentIdentifier;
import org.eclipse.lsp4j.TextDocumentItem;
import org.eclipse.lsp4j.TextDocumentPositionParams;
import org.eclipse.lsp4j.VersionedTextDocumentIdentifier;
import org.eclipse.lsp4j.WorkspaceFolder;
import org.eclipse.lsp4j.launch.LSPLauncher;
import org.eclipse.lsp4j.services.LanguageClient;
import org.eclipse.lsp4j.services.LanguageServer;

/** A client of the protocol with the texts that it has open, as an editor is. */
final class Editor implements LanguageClient {
    private static final long PATIENCE_SECONDS = 60;

    private final LanguageServer server;
    private final Map<String, String> texts = new LinkedHashMap<>();
    private final Map<String, Integer> versions = new LinkedHashMap<>();
    private final Map<String, PublishDiagnosticsParams> findings = new LinkedHashMap<>();
    private final List<String> messages = new ArrayList<>();

    /** @param fromServer what the server writes */
    Editor(InputStream fromServer, OutputStream toServer) {
        var launcher = LSPLauncher.createClientLauncher(this, fromServer, toServer);
        server = launcher.getRemoteProxy();
        var _ = launcher.startListening();
    }

    LanguageServer server() {
        return server;
    }

    InitializeResult begin(Path folder) throws ExecutionException, InterruptedException, TimeoutException {
        InitializeParams params = new InitializeParams();
        params.setCapabilities(new ClientCapabilities());
        params.setWorkspaceFolders(List.of(new WorkspaceFolder(folder.toUri().toString(), "models")));
        InitializeResult result = now(server.initialize(params));
        server.initialized(new InitializedParams());
        return result;
    }

    static <T> T now(CompletableFuture<T> answer) throws ExecutionException, InterruptedException, TimeoutException {
        return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    String open(Path file, String text) {
        String uri = file.toUri().toString();
        texts.put(uri, text);
        versions.put(uri, 1);
        server.getTextDocumentService()
                .didOpen(new DidOpenTextDocumentParams(new TextDocumentItem(uri, "remat", 1, text)));
        return uri;
    }

    String text(String uri) {
        return texts.get(uri);
    }

    /** Puts {@code inserted} where {@code removed} characters from an offset on stand. */
    void change(String uri, int offset, int removed, String inserted) {
        String before = texts.get(uri);
        Range range = new Range(position(before, offset), position(before, offset + removed));
        int version = versions.merge(uri, 1, Integer::sum);
        texts.put(uri, before.substring(0, offset) + inserted + before.substring(offset + removed));
        server.getTextDocumentService()
                .didChange(new DidChangeTextDocumentParams(
                        new VersionedTextDocumentIdentifier(uri, version),
                        List.of(new TextDocumentContentChangeEvent(range, inserted))));
    }

    /** Key by key. */
    void type(String uri, int offset, String keys) {
        for (int i = 0; i < keys.length(); i++) {
            change(uri, offset + i, 0, keys.substring(i, i + 1));
        }
    }

    void save(String uri) {
        server.getTextDocumentService().didSave(new DidSaveTextDocumentParams(new TextDocumentIdentifier(uri)));
    }

    void close(String uri) {
        server.getTextDocumentService().didClose(new DidCloseTextDocumentParams(new TextDocumentIdentifier(uri)));
    }

    static Position position(String text, int offset) {
        int line =
                (int) text.substring(0, offset).chars().filter(c -> c == '\n').count();
        return new Position(line, offset - text.lastIndexOf('\n', offset - 1) - 1);
    }

    /** The place before the {@code n}th occurrence, counted from 0, moved by {@code by} characters. */
    TextDocumentPositionParams at(String uri, String part, int by) {
        return new TextDocumentPositionParams(
                new TextDocumentIdentifier(uri),
                position(texts.get(uri), texts.get(uri).indexOf(part) + by));
    }

    /** What is found in the text as it is. */
    List<Diagnostic> findings(String uri) throws InterruptedException, TimeoutException {
        int version = versions.get(uri);
        return findings(uri, told -> told.getVersion() != null && told.getVersion() == version);
    }

    synchronized List<Diagnostic> findings(String uri, Predicate<PublishDiagnosticsParams> wanted)
            throws InterruptedException, TimeoutException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!findings.containsKey(uri) || !wanted.test(findings.get(uri))) {
            if (System.nanoTime() > end) {
                throw new TimeoutException(uri + " has " + findings.get(uri));
            }
            wait(1000);
        }
        return findings.get(uri).getDiagnostics();
    }

    synchronized List<String> messages() {
        return List.copyOf(messages);
    }

    @Override
    public synchronized void publishDiagnostics(PublishDiagnosticsParams told) {
        findings.put(told.getUri(), told);
        notifyAll();
    }

    @Override
    public synchronized void showMessage(MessageParams params) {
        messages.add(params.getMessage());
    }

    @Override
    public synchronized void logMessage(MessageParams params) {
        messages.add(params.getMessage());
    }

    @Override
    public CompletableFuture<MessageActionItem> showMessageRequest(ShowMessageRequestParams params) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void telemetryEvent(Object event) {}
}
