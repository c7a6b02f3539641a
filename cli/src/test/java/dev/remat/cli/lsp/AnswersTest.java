package dev.remat.cli.lsp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.lsp.answer.Completions;
import dev.remat.cli.lsp.answer.FindingsOf;
import dev.remat.cli.lsp.answer.FormatText;
import dev.remat.cli.lsp.answer.HoverText;
import dev.remat.cli.lsp.answer.Outline;
import dev.remat.cli.lsp.answer.Places;
import dev.remat.cli.lsp.answer.QuickFixes;
import dev.remat.cli.lsp.answer.SignatureAt;
import dev.remat.cli.lsp.answer.TokenTypes;
import dev.remat.cli.lsp.model.Analysis;
import dev.remat.cli.lsp.model.Analyze;
import dev.remat.cli.lsp.model.Documents;
import dev.remat.cli.lsp.text.Document;
import dev.remat.compiler.syntax.Formatter;
import java.util.List;
import java.util.Optional;
import org.eclipse.lsp4j.CompletionItem;
import org.eclipse.lsp4j.Diagnostic;
import org.eclipse.lsp4j.DocumentSymbol;
import org.eclipse.lsp4j.FoldingRange;
import org.eclipse.lsp4j.Position;
import org.eclipse.lsp4j.SignatureHelp;
import org.eclipse.lsp4j.TextEdit;
import org.junit.jupiter.api.Test;

/** Answers about one text, in which {@code ‸} is the cursor. */
class AnswersTest {
    private static final String HEAD = """
        remat 1

        layer Dense(x, width: int = 4, act: layer = relu) {
          return act(linear(x, width))
        }

        model M(depth: int = 2) {
          symbol B
          input images: f32[B, 8]
        """;
    private static final String TAIL = """
          loss = mean(images)
        }

        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """;

    private record Asked(Document document, int offset, Documents documents) {
        static Asked of(String text) {
            int offset = text.indexOf('‸');
            Document document = new Document("untitled:1", 1, text.replace("‸", ""));
            Documents documents = new Documents();
            documents.put(document);
            return new Asked(document, offset, documents);
        }

        static Asked inBody(String line) {
            return of(HEAD + "  " + line + "\n" + TAIL);
        }

        List<String> completions() {
            return Completions.at(document, offset, documents, false).stream()
                    .map(CompletionItem::getLabel)
                    .toList();
        }
    }

    @Test
    void complete() {
        assertThat(Asked.inBody("y = ‸").completions())
                .contains("images", "B", "depth", "Dense", "linear", "none")
                .doesNotContain("y", "loss", "width", "symbol");
        assertThat(Asked.inBody("‸").completions())
                .contains("symbol", "repeat", "images")
                .doesNotContain("linear");
        assertThat(Asked.inBody("y = Dense(images, ‸").completions())
                .contains("width =", "act =")
                .doesNotContain("x =", "out_features =");
        assertThat(Asked.inBody("y = Dense(images, width = ‸").completions()).doesNotContain("width =", "act =");
        assertThat(Asked.inBody("y = images |> Dense(‸").completions())
                .contains("width =")
                .doesNotContain("x =");
        assertThat(Asked.inBody("y = images |> linear(4) as head\n  z = head.‸").completions())
                .contains("weight", "head")
                .doesNotContain("images");
        assertThat(Asked.inBody("input labels: ‸").completions())
                .contains("i32")
                .doesNotContain("images");
        assertThat(Asked.inBody("// y = ‸").completions()).isEmpty();
        assertThat(Asked.inBody("symbol ‸").completions()).isEmpty();
        assertThat(Asked.of("remat 1\n‸").completions())
                .containsExactly("include", "layer", "model", "optimizer", "train");
        assertThat(Asked.of("remat 1\nlayer F(x: ‸").completions()).contains("tensor", "int");
        assertThat(Asked.of(HEAD + TAIL.replace("optimizer sgd(lr = 0.1)", "optimizer ‸"))
                        .completions())
                .contains("adamw")
                .doesNotContain("cosine", "linear");
        String own = "optimizer slow(lr: float) {\n  parameter = parameter - lr * gradient\n}\n\n";
        assertThat(Asked.of(HEAD.replaceFirst("\n", "\n" + own)
                                + TAIL.replace("optimizer sgd(lr = 0.1)", "optimizer ‸"))
                        .completions())
                .contains("slow", "sgd");
        assertThat(Asked.of(HEAD + TAIL.replace("optimizer sgd(lr = 0.1)", "‸")).completions())
                .contains("schedule", "freeze");
        assertThat(Asked.of(HEAD + TAIL.replace("sgd(lr = 0.1)", "sgd(lr = 0.1, ‸"))
                        .completions())
                .contains("momentum =")
                .doesNotContain("lr =");
    }

    private static Optional<SignatureHelp> signature(String line) {
        Asked asked = Asked.inBody(line);
        return SignatureAt.of(asked.document, asked.offset, asked.documents);
    }

    @Test
    void tellSignatures() {
        SignatureHelp help = signature("y = Dense(images, ‸").orElseThrow();
        assertThat(help.getSignatures().getFirst().getLabel()).isEqualTo("Dense(x, width: int = 4, act: layer = relu)");
        assertThat(help.getActiveParameter()).isEqualTo(1);
        assertThat(signature("y = images |> Dense(‸").orElseThrow().getActiveParameter())
                .isEqualTo(1);
        assertThat(signature("y = linear(images, 3, weight = ‸)").orElseThrow().getActiveParameter())
                .isEqualTo(3);
        assertThat(signature("y = linear(relu(images), ‸)").orElseThrow().getActiveParameter())
                .isEqualTo(1);
        assertThat(signature("y = (images‸)")).isEmpty();
        assertThat(signature("y = images[‸")).isEmpty();
    }

    private static String hover(Asked asked) {
        Analysis analysis = Analyze.run(asked.document, asked.documents.includes(asked.document), "", () -> false);
        return HoverText.at(asked.document, asked.offset, Optional.of(analysis), Optional.empty(), asked.documents)
                .map(hover -> hover.getContents().getRight().getValue())
                .orElse("");
    }

    @Test
    void tellWhatNamesStandFor() {
        assertThat(hover(Asked.inBody("// Twice.\n  y = images * 2\n  z = relu(y‸)")))
                .contains("Twice.", "`f32[B, 8]`");
        assertThat(hover(Asked.inBody("y = lin‸ear(images, 3)")))
                .contains("linear(x: tensor, out_features: int", "x·Wᵀ + b", "Makes `f32[B, 3]`");
        assertThat(hover(Asked.inBody("let n‸ = depth * 3\n  y = images[:, n]")))
                .contains("`6`");
        assertThat(hover(Asked.inBody("y = Dense(images, wid‸th = 5)"))).contains("width: int = 4");
        assertThat(hover(Asked.inBody("//! plan --set B=4\n  y‸ = images")))
                .contains("`f32[B, 8]`", "`f32[4, 8]`, 128 B");
        assertThat(hover(Asked.inBody("y = images ‸ * 2"))).isEmpty();
    }

    private static List<Position> definition(Asked asked) {
        return Places.definition(asked.document, asked.offset, asked.documents).stream()
                .map(place -> place.getRange().getStart())
                .toList();
    }

    @Test
    void findTheBindingThatCounts() {
        // A name on the right is what it was before.
        assertThat(definition(Asked.inBody("y = images\n  y = relu(y‸)"))).containsExactly(new Position(9, 2));
        assertThat(definition(Asked.inBody("y = images\n  y = relu(y)\n  z = y‸")))
                .containsExactly(new Position(10, 2));
        // A loop carries the value of its last line into the first.
        assertThat(definition(Asked.inBody("repeat 2 {\n    z = y‸\n    y = images\n  }")))
                .containsExactly(new Position(11, 4));
        assertThat(definition(Asked.inBody("y = Dense(images, wid‸th = 3)"))).containsExactly(new Position(2, 15));
        assertThat(definition(Asked.inBody("y = rel‸u(images)"))).isEmpty();
    }

    @Test
    void tellOuterNamesFromThoseOfALayer() {
        Asked asked = Asked.inBody("y = images\n  layer F(a) {\n    b = y + a\n    y = b\n    return y‸\n  }");
        assertThat(Places.references(asked.document, asked.offset, true, asked.documents))
                .extracting(place -> place.getRange().getStart())
                .containsExactly(new Position(12, 4), new Position(13, 11));
    }

    @Test
    void fixWhatNotesSay() {
        assertThat(fixed("y = relux6(images)")).contains("y = relu6(images)");
        assertThat(fixed("y = images # twice")).contains("y = images // twice");
        assertThat(fixed("let y = relu(images)")).contains("y = relu(images)");
        assertThat(fixed("let n = 3")).contains("let _n = 3");
        assertThat(fixed("relu(images)")).contains("y = relu(images)");
        Document bare = new Document("untitled:2", 1, "model M {\n}\n");
        assertThat(apply(bare)).contains("remat 1\n\nmodel M {\n}\n");
    }

    /** What fixes make of the line. */
    private static List<String> fixed(String line) {
        return apply(Asked.inBody(line).document).stream()
                .map(text -> text.lines().toList().get(9).strip())
                .toList();
    }

    private static List<String> apply(Document document) {
        Analysis analysis = Analyze.run(document, new Documents().includes(document), "", () -> false);
        List<Diagnostic> found =
                FindingsOf.of(analysis, Optional.empty(), new Documents()).get(document.uri());
        return QuickFixes.of(document, found).stream()
                .map(action -> {
                    TextEdit edit =
                            action.getEdit().getChanges().get(document.uri()).getFirst();
                    int start = document.lines().offset(edit.getRange().getStart());
                    int end = document.lines().offset(edit.getRange().getEnd());
                    return document.text().substring(0, start)
                            + edit.getNewText()
                            + document.text().substring(end);
                })
                .toList();
    }

    @Test
    void outlineAndFold() {
        Asked asked = Asked.inBody("y = images");
        assertThat(Outline.symbols(asked.document))
                .extracting(DocumentSymbol::getName)
                .containsExactly("Dense", "M");
        assertThat(Outline.symbols(asked.document).getLast().getChildren())
                .extracting(DocumentSymbol::getName)
                .containsExactly("depth", "B", "images", "y", "loss");
        assertThat(Outline.folds(asked.document))
                .extracting(FoldingRange::getStartLine)
                .containsExactly(2, 6, 13);
    }

    @Test
    void colourByMeaning() {
        Asked asked = Asked.of("layer F(x) { return relu(x) }\n");
        List<String> types = TokenTypes.LEGEND.getTokenTypes();
        List<Integer> data = TokenTypes.of(asked.document, asked.documents);
        assertThat(List.of(data.get(3), data.get(8), data.get(13), data.get(18), data.get(23), data.get(28)))
                .extracting(types::get)
                .containsExactly("keyword", "class", "parameter", "keyword", "function", "parameter");
    }

    @Test
    void formatAsTheCommandDoes() {
        Document crooked = new Document("untitled:3", 1, "\n\nremat   1\r\nlayer F( x ){ // why\nreturn   x\n}\n");
        TextEdit edit = FormatText.of(crooked).getFirst();
        int start = crooked.lines().offset(edit.getRange().getStart());
        int end = crooked.lines().offset(edit.getRange().getEnd());
        String formatted = crooked.text().substring(0, start)
                + edit.getNewText()
                + crooked.text().substring(end);
        assertThat(formatted).isEqualTo(Formatter.format(crooked.source()));
        assertThat(FormatText.of(new Document("untitled:4", 1, formatted))).isEmpty();
        assertThat(FormatText.of(new Document("untitled:5", 1, "remat 1\nlayer F(\n")))
                .isEmpty();
    }
}
