package dev.remat.compiler.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.text.GraphPrinter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelSessionTest {
    private static final String MODEL = """
        remat 1
        model M(width: int = 3, rate: float = 0.1) {
          symbol B
          input x: f32[B, 4]
          %s
          loss = mean(h ** 2)
        }
        train { minimize loss; optimizer sgd(lr = rate)%s }
        """;
    private static final String APART = "h = dropout(linear(x, width), 0.5)";
    private static final ModelSettings EIGHT = ModelSettings.NONE.with("B", "8");

    private CountingSource source = new CountingSource("");

    private ModelSession model(String body, String training, ModelSettings settings) {
        source = new CountingSource(MODEL.formatted(body, training));
        return ModelSession.of(source, settings);
    }

    @Test
    void aStepInMicroBatchesAndItsEvaluationAreElaboratedOverTheRows() {
        ModelSession model = model(APART, "", EIGHT.cutInto(4));
        ElaboratedModel step = model.step(Purpose.TRAIN);
        ElaboratedModel evaluation = model.evaluationBeside(step);
        assertThat(step.microBatches())
                .hasValueSatisfying(cut -> assertThat(cut.rowsEach()).isEqualTo(2));
        assertThat(evaluation.microBatches()).isPresent();
        assertThat(source.elaborated()).containsExactly("train {}", "evaluate {}");
        model.cutInto(2).step(Purpose.GRADIENTS);
        assertThat(source.elaborated()).hasSize(2);
    }

    @Test
    void aWholeBatchIsElaboratedWithItsNumber() {
        ModelSession model = model(APART, "", EIGHT);
        assertThat(model.evaluationBeside(model.step(Purpose.TRAIN)).microBatches())
                .isEmpty();
        assertThat(source.elaborated()).containsExactly("train {B=8}", "evaluate {B=8}");
    }

    /** The training may say that it is cut, and that it is not. */
    @Test
    void theModelsOwnNumberIsAsGood() {
        assertThat(model(APART, "; micro_batches 2", EIGHT).step(Purpose.TRAIN).microBatches())
                .isPresent();
        assertThat(source.elaborated()).containsExactly("train {}");
        ElaboratedModel whole = model(APART, "; micro_batches 1", EIGHT).step(Purpose.TRAIN);
        assertThat(whole.microBatches()).isEmpty();
        assertThat(GraphPrinter.print(whole.forward()))
                .isEqualTo(GraphPrinter.print(
                        model(APART, "", EIGHT).step(Purpose.TRAIN).forward()));
    }

    /** The same whether the rows are declared or found by elaborating with their number first. */
    @ParameterizedTest
    @ValueSource(strings = {APART, "h = reshape(linear(x, width), [B, width, 1])", "h = batch_norm(linear(x, width))"})
    void aDeclaredSymbolChangesNothing(String body) {
        ModelSettings settings = EIGHT.cutInto(4).withPrecision(DType.BF16).withSeed(5);
        ElaboratedModel declared = model(body, "", settings).step(Purpose.TRAIN);
        CountingSource silent = new CountingSource(MODEL.formatted(body, "")) {
            @Override
            public Optional<String> batchSymbol() {
                return Optional.empty();
            }
        };
        ElaboratedModel found = ModelSession.of(silent, settings).step(Purpose.TRAIN);
        assertThat(silent.elaborated()).containsExactly("train {B=8}", "train {}");
        assertThat(GraphPrinter.print(declared.forward())).isEqualTo(GraphPrinter.print(found.forward()));
        assertThat(declared.training()).isEqualTo(found.training());
        assertThat(declared.identity()).isEqualTo(found.identity());
        assertThat(declared.hash()).isEqualTo(found.hash());
        assertThat(declared.extents()).isEqualTo(found.extents());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "h = x; repeat B { h = h + x } | 4 | E0502",
                "h = softmax(x @ transpose(x, 0, 1)) | 4 | E0501",
                "h = linear(x, width) | 3 | E0503",
                "h = linear(x, wide) | 4 | E0201"
            })
    void whatCannotBeCutIsRefused(String body, int parts, String code) {
        ModelSession model = model(body.replace("; ", "\n"), "", EIGHT.cutInto(parts));
        assertThatThrownBy(() -> model.step(Purpose.TRAIN))
                .isInstanceOfSatisfying(
                        ModelException.class,
                        e -> assertThat(e.diagnostics().getFirst().code()).isEqualTo(code));
    }

    @Test
    void batchNormsOfMicroBatchesAreRefusedWhereThatIsSet() {
        ModelSession model = model("h = batch_norm(x)", "", EIGHT.cutInto(4));
        assertThat(model.step(Purpose.TRAIN).microBatches()).isPresent();
        ModelSession strict = model.with(model.settings().refusingBatchNorms());
        assertThatThrownBy(() -> strict.step(Purpose.TRAIN)).hasMessageContaining("E0504");
        assertThat(strict.cutInto(1).step(Purpose.TRAIN).microBatches()).isEmpty();
    }

    @Test
    void aStepNeedsAllSymbols() {
        ModelSession model = model(APART, "", ModelSettings.NONE);
        assertThat(model.open(Purpose.TRAIN).open()).containsExactly("B");
        assertThatThrownBy(() -> model.cutInto(2).step(Purpose.TRAIN))
                .isInstanceOfSatisfying(
                        UnboundSymbolException.class,
                        e -> assertThat(e.symbol()).isEqualTo("B"));
        assertThat(model.with(EIGHT).step(Purpose.TRAIN).open()).isEmpty();
    }

    private static SequencedMap<String, String> values(String name, String value) {
        SequencedMap<String, String> values = new LinkedHashMap<>();
        values.put(name, value);
        return values;
    }

    @Test
    void anEarlierRunCountsWhereNothingIsSet() {
        EarlierRun run = new EarlierRun(
                values("B", "8"), values("rate", "0.3"), Optional.of(DType.BF16), Optional.of(4), Optional.of(9L));
        ModelSession goingOn = model(APART, "; micro_batches 2", ModelSettings.NONE.after(run));
        ElaboratedModel step = goingOn.step(Purpose.TRAIN);
        assertThat(step.extents()).containsEntry("B", 8L);
        assertThat(step.training().seed()).isEqualTo(9);
        assertThat(step.training().precision()).isEqualTo(DType.BF16);
        assertThat(goingOn.keptFromEarlierRun(step)).containsExactly("rate is 0.3, 0.1 in the model");
        assertThat(goingOn.microBatchesOfEarlierRun()).contains("micro_batches is 4, 2 in the model");
        assertThat(source.elaborated()).containsExactly("train {}");

        ModelSettings set = ModelSettings.of(Bindings.parse(List.of("B=16,rate=0.1")))
                .withSeed(1)
                .cutInto(2)
                .after(run);
        ModelSession other = goingOn.with(set);
        ElaboratedModel own = other.step(Purpose.TRAIN);
        assertThat(own.extents()).containsEntry("B", 16L);
        assertThat(own.training().seed()).isEqualTo(1);
        assertThat(other.keptFromEarlierRun(own)).isEmpty();
        assertThat(other.microBatchesOfEarlierRun()).isEmpty();
    }

    @Test
    void anEvaluationWhoseRowsMeetHasThemAllAtOnce() {
        ModelSession model = model(APART + "\nnear = argmax(x @ transpose(x, 0, 1), axis = 1)\noutput near", "", EIGHT);
        ElaboratedModel trained = model(APART, "", EIGHT.cutInto(2)).step(Purpose.TRAIN);
        assertThat(trained.microBatches()).isPresent();
        assertThat(model.evaluationBeside(trained).microBatches()).isEmpty();
        assertThat(model(APART, "", EIGHT).evaluationBeside(trained).microBatches())
                .isPresent();
    }

    @Test
    void anEvaluationMayHaveFewerSamples() {
        BatchedModel model = model(APART + "\noutput h", "", EIGHT).bySamples();
        assertThat(model.with(3))
                .hasValueSatisfying(three -> assertThat(three.extents()).containsEntry("B", 3L));
        assertThat(model.sampleAxes()).containsEntry("h", 0);
        assertThat(model("h = x\nrepeat B { h = h + x }", "", EIGHT).bySamples().with(3))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "symbol B; input x: f32[B, 4]; input y: i32[B] | B",
                "symbol T, B; input x: f32[B, T] | B",
                "symbol B, T; input x: f32[B, 4]; input y: i32[T] |",
                "symbol B; input x: f32[2 * B, 4] |",
                "symbol B; input x: f32[n, 4] |",
                "symbol B; let x = 1 |"
            })
    void inputsDeclareTheSymbolOfTheBatch(String body, String symbol) {
        String text = "remat 1\nmodel M(n: int = 2) {\n" + body.replace("; ", "\n") + "\n}\n";
        assertThat(ModelText.of(new Source("m", text), IncludeResolver.NONE).batchSymbol())
                .isEqualTo(Optional.ofNullable(symbol));
    }
}
