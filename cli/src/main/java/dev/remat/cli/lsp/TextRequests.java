package dev.remat.cli.lsp;

import dev.remat.cli.lsp.answer.Completions;
import dev.remat.cli.lsp.answer.FormatText;
import dev.remat.cli.lsp.answer.Hints;
import dev.remat.cli.lsp.answer.HoverText;
import dev.remat.cli.lsp.answer.Outline;
import dev.remat.cli.lsp.answer.Places;
import dev.remat.cli.lsp.answer.PlanLens;
import dev.remat.cli.lsp.answer.QuickFixes;
import dev.remat.cli.lsp.answer.RenameNames;
import dev.remat.cli.lsp.answer.SignatureAt;
import dev.remat.cli.lsp.answer.TokenTypes;
import dev.remat.cli.lsp.model.Analysis;
import dev.remat.cli.lsp.model.Documents;
import dev.remat.cli.lsp.model.Models;
import dev.remat.cli.lsp.text.Document;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.eclipse.lsp4j.ClientCapabilities;
import org.eclipse.lsp4j.CodeAction;
import org.eclipse.lsp4j.CodeActionParams;
import org.eclipse.lsp4j.CodeLens;
import org.eclipse.lsp4j.CodeLensParams;
import org.eclipse.lsp4j.Command;
import org.eclipse.lsp4j.CompletionItem;
import org.eclipse.lsp4j.CompletionList;
import org.eclipse.lsp4j.CompletionParams;
import org.eclipse.lsp4j.DefinitionParams;
import org.eclipse.lsp4j.DidChangeTextDocumentParams;
import org.eclipse.lsp4j.DidCloseTextDocumentParams;
import org.eclipse.lsp4j.DidOpenTextDocumentParams;
import org.eclipse.lsp4j.DidSaveTextDocumentParams;
import org.eclipse.lsp4j.DocumentFormattingParams;
import org.eclipse.lsp4j.DocumentHighlight;
import org.eclipse.lsp4j.DocumentHighlightParams;
import org.eclipse.lsp4j.DocumentSymbol;
import org.eclipse.lsp4j.DocumentSymbolParams;
import org.eclipse.lsp4j.FoldingRange;
import org.eclipse.lsp4j.FoldingRangeRequestParams;
import org.eclipse.lsp4j.Hover;
import org.eclipse.lsp4j.HoverParams;
import org.eclipse.lsp4j.InlayHint;
import org.eclipse.lsp4j.InlayHintParams;
import org.eclipse.lsp4j.Location;
import org.eclipse.lsp4j.LocationLink;
import org.eclipse.lsp4j.PrepareRenameDefaultBehavior;
import org.eclipse.lsp4j.PrepareRenameParams;
import org.eclipse.lsp4j.PrepareRenameResult;
import org.eclipse.lsp4j.Range;
import org.eclipse.lsp4j.ReferenceParams;
import org.eclipse.lsp4j.RenameParams;
import org.eclipse.lsp4j.SemanticTokens;
import org.eclipse.lsp4j.SemanticTokensParams;
import org.eclipse.lsp4j.SignatureHelp;
import org.eclipse.lsp4j.SignatureHelpParams;
import org.eclipse.lsp4j.SymbolInformation;
import org.eclipse.lsp4j.TextDocumentIdentifier;
import org.eclipse.lsp4j.TextDocumentItem;
import org.eclipse.lsp4j.TextDocumentPositionParams;
import org.eclipse.lsp4j.TextEdit;
import org.eclipse.lsp4j.WorkspaceEdit;
import org.eclipse.lsp4j.jsonrpc.ResponseErrorException;
import org.eclipse.lsp4j.jsonrpc.messages.Either;
import org.eclipse.lsp4j.jsonrpc.messages.Either3;
import org.eclipse.lsp4j.jsonrpc.messages.ResponseError;
import org.eclipse.lsp4j.jsonrpc.messages.ResponseErrorCode;
import org.eclipse.lsp4j.services.TextDocumentService;

/** What editors say and ask about a text. An answer is about the text as it was when the question came. */
final class TextRequests implements TextDocumentService {
    /** How long a hover waits for what is being read just now. */
    private static final long PATIENCE_MILLIS = 40;

    private final Documents documents;
    private final Models models;
    private final Told told;
    private final Executor answering;
    private boolean snippets;

    TextRequests(Documents documents, Models models, Told told, Executor answering) {
        this.documents = documents;
        this.models = models;
        this.told = told;
        this.answering = answering;
    }

    void initialize(ClientCapabilities can) {
        snippets = can != null
                && can.getTextDocument() != null
                && can.getTextDocument().getCompletion() != null
                && can.getTextDocument().getCompletion().getCompletionItem() != null
                && Boolean.TRUE.equals(can.getTextDocument()
                        .getCompletion()
                        .getCompletionItem()
                        .getSnippetSupport());
    }

    @Override
    public void didOpen(DidOpenTextDocumentParams params) {
        TextDocumentItem item = params.getTextDocument();
        Document document = new Document(item.getUri(), item.getVersion(), item.getText());
        documents.put(document);
        models.changed(document);
    }

    @Override
    public void didChange(DidChangeTextDocumentParams params) {
        documents.find(params.getTextDocument().getUri()).ifPresent(before -> {
            Document document = before.edited(params.getTextDocument().getVersion(), params.getContentChanges());
            documents.put(document);
            models.changed(document);
        });
    }

    @Override
    public void didClose(DidCloseTextDocumentParams params) {
        String uri = params.getTextDocument().getUri();
        documents.find(uri).ifPresent(document -> {
            documents.close(uri);
            models.closed(document);
            told.closed(document);
        });
    }

    @Override
    public void didSave(DidSaveTextDocumentParams params) {
        // What is open has been read already.
    }

    private <T> CompletableFuture<T> answer(TextDocumentIdentifier text, T nothing, Function<Document, T> answer) {
        return documents
                .find(text.getUri())
                .map(document -> CompletableFuture.supplyAsync(() -> answer.apply(document), answering))
                .orElse(CompletableFuture.completedFuture(nothing));
    }

    private <T> CompletableFuture<T> answerAt(
            TextDocumentPositionParams at, T nothing, BiFunction<Document, Integer, T> answer) {
        return answer(
                at.getTextDocument(),
                nothing,
                document -> answer.apply(document, document.lines().offset(at.getPosition())));
    }

    /** What is known of the text: by itself, or for a file of layers by a model that includes it as it is. */
    private Optional<Analysis> known(Document document, Optional<Analysis> own) {
        if (own.filter(analysis -> !analysis.elaborated().isEmpty()).isPresent()) {
            return own;
        }
        return models.open().stream()
                .map(other -> models.analysis(other.uri()))
                .filter(analysis -> analysis.isDone() && !analysis.isCompletedExceptionally())
                .map(CompletableFuture::join)
                .filter(analysis -> analysis.files().contains(document.source())
                        && !analysis.elaborated().isEmpty())
                .findFirst()
                .or(() -> own);
    }

    @Override
    public CompletableFuture<Either<List<CompletionItem>, CompletionList>> completion(CompletionParams params) {
        return answerAt(
                params,
                Either.forLeft(List.of()),
                (document, offset) -> Either.forLeft(Completions.at(document, offset, documents, snippets)));
    }

    @Override
    public CompletableFuture<SignatureHelp> signatureHelp(SignatureHelpParams params) {
        return answerAt(
                params,
                null,
                (document, offset) ->
                        SignatureAt.of(document, offset, documents).orElse(null));
    }

    @Override
    public CompletableFuture<Hover> hover(HoverParams params) {
        Optional<Document> found = documents.find(params.getTextDocument().getUri());
        if (found.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        Document document = found.get();
        return models.analysis(document.uri())
                .copy()
                .completeOnTimeout(null, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                .handleAsync(
                        (analysis, _) -> {
                            Optional<Analysis> known = known(document, Optional.ofNullable(analysis));
                            return HoverText.at(
                                            document,
                                            document.lines().offset(params.getPosition()),
                                            known,
                                            known.flatMap(each ->
                                                    models.plan(each.document().uri())),
                                            documents)
                                    .orElse(null);
                        },
                        answering);
    }

    @Override
    public CompletableFuture<List<InlayHint>> inlayHint(InlayHintParams params) {
        Optional<Document> found = documents.find(params.getTextDocument().getUri());
        if (found.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        Document document = found.get();
        return models.analysis(document.uri())
                .handleAsync(
                        (analysis, _) -> {
                            if (analysis == null) {
                                throw refused(ResponseErrorCode.ContentModified, "the text has gone on");
                            }
                            return known(document, Optional.of(analysis))
                                    .map(known -> Hints.in(
                                            params.getRange(),
                                            document,
                                            known,
                                            models.plan(known.document().uri())))
                                    .orElse(List.of());
                        },
                        answering);
    }

    @Override
    public CompletableFuture<List<? extends CodeLens>> codeLens(CodeLensParams params) {
        return answer(
                params.getTextDocument(), List.of(), document -> PlanLens.of(document, models.plan(document.uri())));
    }

    @Override
    public CompletableFuture<Either<List<? extends Location>, List<? extends LocationLink>>> definition(
            DefinitionParams params) {
        return answerAt(
                params,
                Either.forLeft(List.of()),
                (document, offset) -> Either.forLeft(Places.definition(document, offset, documents)));
    }

    @Override
    public CompletableFuture<List<? extends Location>> references(ReferenceParams params) {
        return answerAt(
                params,
                List.of(),
                (document, offset) ->
                        Places.references(document, offset, params.getContext().isIncludeDeclaration(), documents));
    }

    @Override
    public CompletableFuture<List<? extends DocumentHighlight>> documentHighlight(DocumentHighlightParams params) {
        return answerAt(params, List.of(), (document, offset) -> Places.highlights(document, offset, documents));
    }

    @Override
    public CompletableFuture<Either3<Range, PrepareRenameResult, PrepareRenameDefaultBehavior>> prepareRename(
            PrepareRenameParams params) {
        return answerAt(
                params,
                null,
                (document, offset) -> RenameNames.range(document, offset, documents)
                        .map(range -> Either3.<Range, PrepareRenameResult, PrepareRenameDefaultBehavior>forFirst(range))
                        .orElse(null));
    }

    @Override
    public CompletableFuture<WorkspaceEdit> rename(RenameParams params) {
        return answerAt(params, null, (document, offset) -> {
            try {
                return RenameNames.to(params.getNewName(), document, offset, documents);
            } catch (RenameNames.RefusedException e) {
                throw refused(ResponseErrorCode.RequestFailed, e.getMessage());
            }
        });
    }

    private static ResponseErrorException refused(ResponseErrorCode code, String why) {
        return new ResponseErrorException(new ResponseError(code, why, null));
    }

    @Override
    public CompletableFuture<List<Either<SymbolInformation, DocumentSymbol>>> documentSymbol(
            DocumentSymbolParams params) {
        return answer(
                params.getTextDocument(),
                List.of(),
                document -> Outline.symbols(document).stream()
                        .map(symbol -> Either.<SymbolInformation, DocumentSymbol>forRight(symbol))
                        .toList());
    }

    @Override
    public CompletableFuture<List<FoldingRange>> foldingRange(FoldingRangeRequestParams params) {
        return answer(params.getTextDocument(), List.of(), Outline::folds);
    }

    @Override
    public CompletableFuture<SemanticTokens> semanticTokensFull(SemanticTokensParams params) {
        return answer(
                params.getTextDocument(),
                new SemanticTokens(List.of()),
                document -> new SemanticTokens(TokenTypes.of(document, documents)));
    }

    @Override
    public CompletableFuture<List<? extends TextEdit>> formatting(DocumentFormattingParams params) {
        return answer(params.getTextDocument(), List.of(), FormatText::of);
    }

    @Override
    public CompletableFuture<List<Either<Command, CodeAction>>> codeAction(CodeActionParams params) {
        return answer(
                params.getTextDocument(),
                List.of(),
                document -> QuickFixes.of(document, params.getContext().getDiagnostics()).stream()
                        .map(action -> Either.<Command, CodeAction>forRight(action))
                        .toList());
    }
}
