package dev.remat.cli.lsp;

import dev.remat.cli.lsp.answer.FindingsOf;
import dev.remat.cli.lsp.model.Analysis;
import dev.remat.cli.lsp.model.Documents;
import dev.remat.cli.lsp.model.ModelPlan;
import dev.remat.cli.lsp.model.Models;
import dev.remat.cli.lsp.text.Document;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.lsp4j.ClientCapabilities;
import org.eclipse.lsp4j.Diagnostic;
import org.eclipse.lsp4j.MessageParams;
import org.eclipse.lsp4j.MessageType;
import org.eclipse.lsp4j.PublishDiagnosticsParams;
import org.eclipse.lsp4j.ShowDocumentParams;
import org.eclipse.lsp4j.services.LanguageClient;

/** What the editor is told without asking: findings of all models together by the text they are about. */
final class Told implements Models.Listener {
    private final Documents documents;
    private final Map<String, Map<String, List<Diagnostic>>> byModel = new LinkedHashMap<>();
    private Models models;
    private LanguageClient client;
    private boolean refreshesHints;
    private boolean refreshesLenses;
    private boolean showsDocuments;

    Told(Documents documents) {
        this.documents = documents;
    }

    void of(Models told) {
        models = told;
    }

    void connect(LanguageClient editor) {
        client = editor;
    }

    void initialize(ClientCapabilities can) {
        if (can == null) {
            return;
        }
        if (can.getWorkspace() != null) {
            refreshesHints = can.getWorkspace().getInlayHint() != null
                    && Boolean.TRUE.equals(can.getWorkspace().getInlayHint().getRefreshSupport());
            refreshesLenses = can.getWorkspace().getCodeLens() != null
                    && Boolean.TRUE.equals(can.getWorkspace().getCodeLens().getRefreshSupport());
        }
        showsDocuments = can.getWindow() != null
                && can.getWindow().getShowDocument() != null
                && can.getWindow().getShowDocument().isSupport();
    }

    @Override
    public void analysed(Analysis analysis) {
        // Until a plan is made again, what only planning comes by is not known.
        publish(analysis.document(), FindingsOf.of(analysis, Optional.empty(), documents));
    }

    @Override
    public void planned(ModelPlan plan) {
        Document document = plan.of();
        var _ = models.analysis(document.uri()).thenAccept(analysis -> {
            if (analysis.document() == document) {
                publish(document, FindingsOf.of(analysis, Optional.of(plan), documents));
            }
        });
        if (refreshesHints) {
            var _ = client.refreshInlayHints();
        }
        if (refreshesLenses) {
            var _ = client.refreshCodeLenses();
        }
    }

    @Override
    public void failed(String uri, Throwable why) {
        StringWriter trace = new StringWriter();
        why.printStackTrace(new PrintWriter(trace));
        client.logMessage(new MessageParams(
                MessageType.Error, "a bug of remat; please report it with the model " + uri + "\n" + trace));
    }

    /** The model is no longer open. */
    synchronized void closed(Document document) {
        Map<String, List<Diagnostic>> before = byModel.remove(document.uri());
        if (before != null) {
            before.keySet().forEach(uri -> send(uri, Optional.empty()));
        }
    }

    private synchronized void publish(Document document, Map<String, List<Diagnostic>> findings) {
        Map<String, List<Diagnostic>> before = byModel.put(document.uri(), findings);
        if (findings.equals(before)) {
            if (document.version() > 0) {
                send(document.uri(), Optional.of(document.version()));
            }
            return;
        }
        Set<String> uris = new LinkedHashSet<>(findings.keySet());
        if (before != null) {
            uris.addAll(before.keySet());
        }
        for (String uri : uris) {
            boolean own = uri.equals(document.uri());
            send(uri, own ? Optional.of(document.version()) : Optional.empty());
        }
    }

    private void send(String uri, Optional<Integer> version) {
        Set<Diagnostic> all = new LinkedHashSet<>();
        byModel.values().forEach(model -> all.addAll(model.getOrDefault(uri, List.of())));
        PublishDiagnosticsParams params = new PublishDiagnosticsParams(uri, new ArrayList<>(all));
        version.ifPresent(params::setVersion);
        client.publishDiagnostics(params);
    }

    /** Opens a page in a browser, or says where it lies. */
    void show(String uri) {
        if (showsDocuments) {
            ShowDocumentParams params = new ShowDocumentParams(uri);
            params.setExternal(true);
            var _ = client.showDocument(params);
        } else {
            client.showMessage(new MessageParams(MessageType.Info, "the plan's page is " + uri));
        }
    }

    void complain(String why) {
        client.showMessage(new MessageParams(MessageType.Warning, why));
    }
}
