package dev.remat.compiler.recipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.json.CorruptJsonException;
import dev.remat.ir.plan.RetainReason;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.UnitCost;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;

class RecipeFilesTest {
    private static final String MODEL = """
        remat 1
        model M {
          symbol B
          input x: f32[B, 4]
          param w: f32[4] = ones
          loss = mean(x * w)
        }
        train { minimize loss; optimizer sgd(lr = 0.1); micro_batches 2 }
        """;

    private static PlanRecipe recipe(int microBatches) {
        return recipe(microBatches, MicroBatchOrder.DEPTH, Below.NOTHING);
    }

    private static PlanRecipe recipe(int microBatches, Below below) {
        return recipe(microBatches, MicroBatchOrder.DEPTH, below);
    }

    private static PlanRecipe recipe(int microBatches, MicroBatchOrder order, Below below) {
        return recipe(microBatches, order, below, Chunks.AS_WRITTEN);
    }

    private static PlanRecipe recipe(int microBatches, MicroBatchOrder order, Below below, Chunks chunks) {
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("B", "8");
        SequencedMap<String, RetainReason> retained = new LinkedHashMap<>();
        retained.put("x:1", RetainReason.values()[0]);
        return new PlanRecipe(
                List.of(new Source("m.model", MODEL)),
                settings,
                Purpose.TRAIN,
                DType.F32,
                microBatches,
                order,
                7,
                new UnitCost(),
                below,
                chunks,
                "{}",
                retained,
                3);
    }

    private static PlanRecipe read(SequencedMap<String, String> files) throws IOException {
        return RecipeFiles.read(files::get, recipe(1).settings());
    }

    @Test
    void readsBackWhatWasWritten() throws IOException {
        for (int microBatches : new int[] {1, 8}) {
            PlanRecipe recipe = recipe(microBatches);
            SequencedMap<String, String> files = RecipeFiles.write(recipe);
            files.put(RecipeFiles.SEQUENCE, "{}");
            assertThat(read(files)).isEqualTo(recipe);
        }
    }

    @Test
    void readsBackIntoHowManyChunksLossesAreCut() throws IOException {
        for (int microBatches : new int[] {1, 8}) {
            PlanRecipe recipe = recipe(microBatches, MicroBatchOrder.DEPTH, Below.NOTHING, Chunks.wherePossible(4));
            SequencedMap<String, String> files = RecipeFiles.write(recipe);
            assertThat(files.get(RecipeFiles.RECIPE)).contains("\"chunks\":4");
            files.put(RecipeFiles.SEQUENCE, "{}");
            assertThat(read(files)).isEqualTo(recipe).isNotEqualTo(recipe(microBatches));
        }
        SequencedMap<String, String> files =
                RecipeFiles.write(recipe(1, MicroBatchOrder.DEPTH, Below.NOTHING, Chunks.wherePossible(4)));
        files.replace(RecipeFiles.RECIPE, files.get(RecipeFiles.RECIPE).replace("\"chunks\":4", "\"chunks\":0"));
        assertThatThrownBy(() -> read(files)).isInstanceOf(CorruptJsonException.class);
    }

    @Test
    void readsBackWhereTensorsCouldBeMoved() throws IOException {
        for (Below.Movable movable : List.of(Below.Movable.AUTO, Below.Movable.STATE)) {
            Below below = new Below(
                    List.of(new Tier("host", 1L << 40, 20, 30, 0), new Tier("disk", 50, 1, 2, 1_000, 7)), movable);
            PlanRecipe recipe = recipe(1, below);
            SequencedMap<String, String> files = RecipeFiles.write(recipe);
            assertThat(files.get(RecipeFiles.RECIPE))
                    .contains("\"microBatches\":1,\"offload\":\"" + movable + "\",\"tiers\":[{\"name\":\"host\"");
            files.put(RecipeFiles.SEQUENCE, "{}");
            assertThat(read(files)).isEqualTo(recipe).isNotEqualTo(recipe(1));
        }
        String unknown = RecipeFiles.write(
                        recipe(1, new Below(List.of(new Tier("host", 5, 1, 1, 0)), Below.Movable.ALL)))
                .get(RecipeFiles.RECIPE)
                .replace("\"all\"", "\"none of it\"");
        SequencedMap<String, String> files = RecipeFiles.write(recipe(1));
        files.put(RecipeFiles.RECIPE, unknown);
        assertThatThrownBy(() -> read(files)).isInstanceOf(CorruptJsonException.class);
    }

    @Test
    void readsBackInWhichOrderMicroBatchesRun() throws IOException {
        Below below = new Below(List.of(new Tier("disk", 50, 1, 2, 1_000)), Below.Movable.ALL);
        for (Below either : List.of(Below.NOTHING, below)) {
            PlanRecipe recipe = recipe(8, MicroBatchOrder.BREADTH, either);
            SequencedMap<String, String> files = RecipeFiles.write(recipe);
            assertThat(files.get(RecipeFiles.RECIPE)).contains("\"microBatches\":8,\"microBatchOrder\":\"breadth\"");
            files.put(RecipeFiles.SEQUENCE, "{}");
            assertThat(read(files)).isEqualTo(recipe).isNotEqualTo(recipe(8, either));
            assertThat(recipe.model().step(Purpose.TRAIN).training().microBatchOrder())
                    .isEqualTo(MicroBatchOrder.BREADTH);
        }
        SequencedMap<String, String> files = RecipeFiles.write(recipe(8, MicroBatchOrder.BREADTH, below));
        files.replace(RecipeFiles.RECIPE, files.get(RecipeFiles.RECIPE).replace("\"breadth\"", "\"width\""));
        assertThatThrownBy(() -> read(files)).isInstanceOf(CorruptJsonException.class);
    }

    @Test
    void tellsOfMicroBatchesWhereThereAreSeveral() {
        String one = RecipeFiles.write(recipe(1)).get(RecipeFiles.RECIPE);
        String eight = RecipeFiles.write(recipe(8)).get(RecipeFiles.RECIPE);
        assertThat(one).doesNotContain("micro");
        assertThat(eight).isEqualTo(one.replace("}}", "},\"microBatches\":8}"));
    }

    @Test
    void refusesLessThanOneMicroBatch() {
        SequencedMap<String, String> files = RecipeFiles.write(recipe(8));
        files.replace(
                RecipeFiles.RECIPE, files.get(RecipeFiles.RECIPE).replace("\"microBatches\":8", "\"microBatches\":0"));
        assertThatThrownBy(() -> read(files)).isInstanceOf(CorruptJsonException.class);
    }

    /** Whatever the model's file says: a command may have asked for another number. */
    @Test
    void theModelIsCutAsTheRecipeSays() {
        for (int microBatches : new int[] {1, 4}) {
            assertThat(recipe(microBatches)
                            .model()
                            .step(Purpose.TRAIN)
                            .training()
                            .microBatches())
                    .isEqualTo(microBatches);
        }
    }
}
