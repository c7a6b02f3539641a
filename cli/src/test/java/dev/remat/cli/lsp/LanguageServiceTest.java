package dev.remat.cli.lsp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.cli.console.Console;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.lsp4j.CodeLensParams;
import org.eclipse.lsp4j.CompletionItem;
import org.eclipse.lsp4j.CompletionParams;
import org.eclipse.lsp4j.DefinitionParams;
import org.eclipse.lsp4j.Diagnostic;
import org.eclipse.lsp4j.ExecuteCommandParams;
import org.eclipse.lsp4j.HoverParams;
import org.eclipse.lsp4j.InlayHintParams;
import org.eclipse.lsp4j.Location;
import org.eclipse.lsp4j.Position;
import org.eclipse.lsp4j.Range;
import org.eclipse.lsp4j.RenameParams;
import org.eclipse.lsp4j.TextDocumentIdentifier;
import org.eclipse.lsp4j.TextDocumentPositionParams;
import org.eclipse.lsp4j.TextEdit;
import org.eclipse.lsp4j.WorkspaceEdit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LanguageServiceTest {
    private static final String BLOCKS = """
        remat 1

        // Adds what a small network makes of x.
        layer Block(x, width: int = 8) {
          return x + linear(relu(linear(x, width)), 8)
        }
        """;
    private static final String MODEL = """
        remat 1

        include "blocks.model"

        model M(depth: int = 2) {
          symbol B
          input x: f32[B, 8]
          h = x
          repeat depth { h = Block(h, width = 16) }
          loss = mean(h)
        }

        train { minimize loss; optimizer sgd(lr = 0.1) }
        """;

    @TempDir
    Path folder;

    private Editor editor;
    private CompletableFuture<Boolean> served;

    @BeforeEach
    void start() throws IOException, ExecutionException, InterruptedException, TimeoutException {
        PipedInputStream toServer = new PipedInputStream(1 << 16);
        PipedInputStream fromServer = new PipedInputStream(1 << 16);
        PipedOutputStream serverOut = new PipedOutputStream(fromServer);
        PipedOutputStream editorOut = new PipedOutputStream(toServer);
        Console console = new Console(OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), false, false);
        served = CompletableFuture.supplyAsync(() -> {
            try {
                return new LanguageService(console).serve(toServer, serverOut);
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException(e);
            }
        });
        editor = new Editor(fromServer, editorOut);
        editor.begin(folder);
    }

    @AfterEach
    void stop() throws Exception {
        Editor.now(editor.server().shutdown());
        editor.server().exit();
        assertThat(served.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(editor.messages()).noneMatch(message -> message.contains("a bug"));
    }

    private static Range everywhere() {
        return new Range(new Position(0, 0), new Position(1000, 0));
    }

    private List<String> hints(String uri) throws Exception {
        return Editor.now(editor.server()
                        .getTextDocumentService()
                        .inlayHint(new InlayHintParams(new TextDocumentIdentifier(uri), everywhere())))
                .stream()
                .map(hint -> hint.getPosition().getLine() + hint.getLabel().getLeft())
                .toList();
    }

    /** The line above the model, as soon as it begins so. */
    private String lens(String uri, String beginning) throws Exception {
        for (int i = 0; i < 600; i++) {
            List<String> titles = Editor.now(editor.server()
                            .getTextDocumentService()
                            .codeLens(new CodeLensParams(new TextDocumentIdentifier(uri))))
                    .stream()
                    .map(lens -> lens.getCommand().getTitle())
                    .toList();
            if (titles.stream().anyMatch(title -> title.startsWith(beginning))) {
                return titles.getFirst();
            }
            Thread.sleep(50);
        }
        throw new AssertionError("no line above the model begins with " + beginning);
    }

    private String hover(String uri, String part, int by) throws Exception {
        TextDocumentPositionParams at = editor.at(uri, part, by);
        return Editor.now(editor.server()
                        .getTextDocumentService()
                        .hover(new HoverParams(at.getTextDocument(), at.getPosition())))
                .getContents()
                .getRight()
                .getValue();
    }

    /** Applies an edit as editors do. */
    private static Map<String, String> edited(WorkspaceEdit edit, Map<String, String> texts) {
        Map<String, String> results = new LinkedHashMap<>();
        edit.getChanges().forEach((uri, edits) -> {
            List<TextEdit> fromTheEnd = new ArrayList<>(edits);
            fromTheEnd.sort(Comparator.comparing(
                            (TextEdit each) -> each.getRange().getStart(),
                            Comparator.comparingInt(Position::getLine).thenComparingInt(Position::getCharacter))
                    .reversed());
            List<String> lines = new ArrayList<>(List.of(texts.get(uri).split("\n", -1)));
            for (TextEdit each : fromTheEnd) {
                Range range = each.getRange();
                String line = lines.get(range.getStart().getLine());
                lines.set(
                        range.getStart().getLine(),
                        line.substring(0, range.getStart().getCharacter())
                                + each.getNewText()
                                + line.substring(range.getEnd().getCharacter()));
            }
            results.put(uri, String.join("\n", lines));
        });
        return results;
    }

    @Test
    void tellsMistakesWhileTheyAreTypedAndTakesThemBack() throws Exception {
        Files.writeString(folder.resolve("blocks.model"), BLOCKS);
        String uri = editor.open(folder.resolve("m.model"), MODEL);
        assertThat(editor.findings(uri)).isEmpty();
        editor.type(uri, MODEL.indexOf("  loss"), "  y = drpout(h)\n");
        List<Diagnostic> found = editor.findings(uri);
        assertThat(found).hasSize(1);
        assertThat(found.getFirst().getCode().getLeft()).isEqualTo("E0201");
        assertThat(found.getFirst().getMessage()).contains("drpout", "did you mean 'dropout'?");
        assertThat(found.getFirst().getRange()).isEqualTo(new Range(new Position(9, 6), new Position(9, 12)));
        editor.change(uri, MODEL.indexOf("  loss"), "  y = drpout(h)\n".length(), "");
        assertThat(editor.findings(uri)).isEmpty();
    }

    @Test
    void takesWhatIsOpenBeforeWhatIsOnDisk() throws Exception {
        Files.writeString(folder.resolve("blocks.model"), BLOCKS.replace("relu", "nothing"));
        String uri = editor.open(folder.resolve("m.model"), MODEL);
        String blocks = folder.resolve("blocks.model").toUri().toString();
        assertThat(editor.findings(blocks, told -> !told.getDiagnostics().isEmpty())
                        .getFirst()
                        .getMessage())
                .contains("nothing");
        editor.open(folder.resolve("blocks.model"), BLOCKS);
        assertThat(editor.findings(blocks, told -> told.getDiagnostics().isEmpty()))
                .isEmpty();
        assertThat(editor.findings(uri)).isEmpty();
        editor.change(blocks, BLOCKS.indexOf("relu("), 4, "relu6x");
        assertThat(editor.findings(blocks, told -> !told.getDiagnostics().isEmpty()))
                .hasSize(1);
    }

    @Test
    void renamesOverIncludes() throws Exception {
        Files.writeString(folder.resolve("blocks.model"), BLOCKS);
        String uri = editor.open(folder.resolve("m.model"), MODEL);
        String blocks = folder.resolve("blocks.model").toUri().toString();
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put(uri, MODEL);
        texts.put(blocks, BLOCKS);
        TextDocumentPositionParams layer = editor.at(uri, "Block(h", 1);
        Map<String, String> renamed = edited(
                Editor.now(editor.server()
                        .getTextDocumentService()
                        .rename(new RenameParams(layer.getTextDocument(), layer.getPosition(), "Residual"))),
                texts);
        assertThat(renamed.get(uri)).isEqualTo(MODEL.replace("Block(", "Residual("));
        assertThat(renamed.get(blocks)).isEqualTo(BLOCKS.replace("Block(", "Residual("));
        TextDocumentPositionParams width = editor.at(uri, "width = 16", 1);
        renamed = edited(
                Editor.now(editor.server()
                        .getTextDocumentService()
                        .rename(new RenameParams(width.getTextDocument(), width.getPosition(), "hidden"))),
                texts);
        assertThat(renamed.get(uri)).isEqualTo(MODEL.replace("width = 16", "hidden = 16"));
        assertThat(renamed.get(blocks)).isEqualTo(BLOCKS.replace("width", "hidden"));
    }

    @Test
    void refusesNamesThatMeanSomethingElse() throws Exception {
        Files.writeString(folder.resolve("blocks.model"), BLOCKS);
        String uri = editor.open(folder.resolve("m.model"), MODEL);
        TextDocumentPositionParams h = editor.at(uri, "h = x", 0);
        for (String name : List.of("x", "repeat", "2h", "Block", "depth")) {
            assertThatThrownBy(() -> Editor.now(editor.server()
                            .getTextDocumentService()
                            .rename(new RenameParams(h.getTextDocument(), h.getPosition(), name))))
                    .as(name)
                    .hasMessageContaining("'" + name + "'");
        }
    }

    @Test
    void findsDefinitionsInOtherFiles() throws Exception {
        Files.writeString(folder.resolve("blocks.model"), BLOCKS);
        String uri = editor.open(folder.resolve("m.model"), MODEL);
        TextDocumentPositionParams call = editor.at(uri, "Block(h", 2);
        List<? extends Location> found = Editor.now(editor.server()
                        .getTextDocumentService()
                        .definition(new DefinitionParams(call.getTextDocument(), call.getPosition())))
                .getLeft();
        assertThat(found).hasSize(1);
        assertThat(found.getFirst().getUri())
                .isEqualTo(folder.resolve("blocks.model").toUri().toString());
        assertThat(found.getFirst().getRange()).isEqualTo(new Range(new Position(3, 6), new Position(3, 11)));
        assertThat(hover(uri, "Block(h", 2)).contains("layer Block(x, width: int = 8)", "Adds what a small network");
    }

    @Test
    void completesHalfWrittenText() throws Exception {
        Files.writeString(folder.resolve("blocks.model"), BLOCKS);
        String uri = editor.open(folder.resolve("m.model"), MODEL);
        editor.type(uri, MODEL.indexOf("  loss"), "  y = linear(h, ");
        TextDocumentPositionParams at = editor.at(uri, "linear(h, ", "linear(h, ".length());
        List<CompletionItem> items = Editor.now(editor.server()
                        .getTextDocumentService()
                        .completion(new CompletionParams(at.getTextDocument(), at.getPosition())))
                .getLeft();
        assertThat(items)
                .extracting(CompletionItem::getLabel)
                .contains("out_features =", "bias =", "h", "depth", "Block");
        assertThat(items)
                .filteredOn(item -> item.getLabel().equals("bias ="))
                .extracting(CompletionItem::getDetail)
                .containsExactly("bias: bool = true");
        // One forgotten bracket, and what it makes of the line.
        assertThat(editor.findings(uri)).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void putsThePlanIntoTheMargin() throws Exception {
        Files.writeString(folder.resolve("blocks.model"), BLOCKS);
        String planned = MODEL.replace("remat 1\n", "remat 1\n//! plan --set B=4 --strategy keep-all\n");
        String uri = editor.open(folder.resolve("m.model"), planned);
        assertThat(lens(uri, "arena")).contains("keep-all");
        assertThat(hints(uri))
                .contains("8: f32[B, 8]", "9: f32[B, 8]")
                .anyMatch(hint -> hint.startsWith("9") && hint.contains(" × "));
        // 4 rows of 8 numbers of 4 bytes.
        assertThat(hover(uri, "h = Block", 0))
                .contains("`f32[B, 8]`", "`f32[4, 8]`", "128 B", "state", "blocks.model:5:")
                .doesNotContain(folder.toString());
        Object page = Editor.now(editor.server()
                .getWorkspaceService()
                .executeCommand(new ExecuteCommandParams("remat.showPlan", List.of(uri))));
        assertThat(Path.of(URI.create(page.toString().replace("\"", ""))))
                .content()
                .contains("<html");
        editor.change(uri, planned.indexOf("  loss"), 0, "  h = relu(h\n");
        assertThat(lens(uri, "stale: arena")).contains("keep-all");
        editor.change(uri, editor.text(uri).indexOf("relu(h") + 6, 0, ")");
        assertThat(lens(uri, "arena")).contains("keep-all");
        assertThat(hints(uri))
                .anyMatch(hint -> hint.startsWith("10: f32[B, 8]"))
                .noneMatch(hint -> hint.contains("stale"));
        assertThat(editor.messages()).anyMatch(message -> message.contains("plan.html"));
    }

    @Test
    void tellsThePlanWhereAParameterGetsAnotherValue() throws Exception {
        String text = """
            remat 1
            //! plan --set B=4
            layer F(a) {
              a = linear(a, 8)
              return relu(a)
            }
            model M {
              symbol B
              input x: f32[B, 8]
              loss = mean(F(F(x)))
            }
            train { minimize loss; optimizer sgd(lr = 0.1) }
            """;
        String uri = editor.open(folder.resolve("m.model"), text);
        lens(uri, "arena");
        assertThat(hints(uri))
                .contains("2: f32[B, 8]", "3: f32[B, 8]")
                .anyMatch(hint -> hint.startsWith("32 × "))
                .noneMatch(hint -> hint.startsWith("22 × "));
    }

    @Test
    void saysWhyThereIsNoPlan() throws Exception {
        Files.writeString(folder.resolve("blocks.model"), BLOCKS);
        String uri = editor.open(
                folder.resolve("m.model"), MODEL.replace("remat 1\n", "remat 1\n//! plan --set B=4 --budget 10\n"));
        assertThat(editor.findings(uri, told -> !told.getDiagnostics().isEmpty())
                        .getFirst()
                        .getMessage())
                .contains("no plan fits 10 bytes");
        String other =
                editor.open(folder.resolve("n.model"), MODEL.replace("remat 1\n", "remat 1\n//! plan --budget 70%\n"));
        assertThat(editor.findings(other, told -> !told.getDiagnostics().isEmpty())
                        .getFirst()
                        .getMessage())
                .contains("--set B=16");
        String third = editor.open(
                folder.resolve("o.model"), MODEL.replace("remat 1\n", "remat 1\n//! plan --set B=4 --dump-dir out\n"));
        assertThat(editor.findings(third, told -> !told.getDiagnostics().isEmpty())
                        .getFirst()
                        .getMessage())
                .contains("--dump-dir writes files");
        assertThat(folder.resolve("out")).doesNotExist();
    }
}
