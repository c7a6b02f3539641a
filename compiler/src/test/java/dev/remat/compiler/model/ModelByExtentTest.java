package dev.remat.compiler.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.diagnostic.ModelException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ModelByExtentTest {
    private static final String TRAIN = "\n}\ntrain { minimize loss; optimizer sgd(lr = 0.1) }\n";

    private CountingSource source = new CountingSource("");

    private ModelByExtent models(String body) {
        source = new CountingSource("remat 1\nmodel M {\nsymbol B\n" + body + TRAIN);
        return ModelSession.of(source, ModelSettings.NONE).byExtent("B");
    }

    @Test
    void aModelThatNeedsNoNumberIsElaboratedOnce() {
        ModelByExtent models = models("input x: f32[B, 4]\nloss = mean(reshape(x, [2 * B, 2]))");
        assertThat(source.elaborated()).hasSize(1);
        ElaboratedModel five = models.with(5);
        assertThat(source.elaborated()).hasSize(1);
        assertThat(five.extents()).containsExactly(Map.entry("B", 5L));
        assertThat(five.open()).isEmpty();
        assertThat(five.forward().values().get(1).type()).hasToString("f32[10, 2]");
    }

    @Test
    void aModelThatNeedsTheNumberIsElaboratedForEveryExtent() {
        ModelByExtent models = models("input x: f32[4]\nrepeat B { x = x * x }\nloss = mean(x)");
        assertThat(models.with(2).forward().nodes()).hasSize(4);
        assertThat(models.with(3).forward().nodes()).hasSize(5);
        assertThat(source.elaborated()).hasSize(3);
    }

    /** A symbol does not broadcast, so over it there is one more node. */
    @Test
    void anExtentOfOneIsElaborated() {
        ModelByExtent models = models("input x: f32[B, 4]\ninput y: f32[1, 4]\nloss = mean(x + y)");
        assertThat(models.with(1).forward().nodes())
                .hasSizeLessThan(models.with(2).forward().nodes().size());
    }

    /** 2^31 elements along an axis are too many; elaboration says so with a place. */
    @Test
    void whatBecomesTooLargeIsRefusedWithItsPlace() {
        ModelByExtent models = models("input x: f32[B, 4]\nloss = mean(reshape(x, [4 * B]))");
        assertThat(models.with(1 << 20).forward().values()).isNotEmpty();
        assertThatThrownBy(() -> models.with(1 << 30))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("m:5");
    }
}
