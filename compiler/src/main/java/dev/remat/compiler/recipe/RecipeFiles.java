package dev.remat.compiler.recipe;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.solve.TierJson;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.json.CorruptJsonException;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.json.JsonText;
import dev.remat.ir.plan.RetainReason;
import dev.remat.ir.target.CorruptCostsException;
import dev.remat.ir.target.CostFile;
import dev.remat.ir.target.CostFileJson;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.ProfileCost;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.UnitCost;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Stream;

/**
 * A recipe as files of an artifact: {@code recipe.json} ({@code remat-recipe/1}), which names the others;
 * {@code sequence.json} ({@code remat-sequence/1}); {@code costs.json} ({@code remat-profile/1} and the like) unless
 * every kernel costs one; and a {@code source-N.model} for each file of the model. Settings stand in the manifest.
 */
public final class RecipeFiles {
    public static final String RECIPE = "recipe.json";
    public static final String SEQUENCE = "sequence.json";
    public static final String COSTS = "costs.json";

    private static final String FORMAT = "remat-recipe/1";
    private static final String ORDER = "microBatchOrder";
    private static final String CHUNKS = "chunks";

    /** Finds the text of a file by its name. */
    public interface Files {
        /** @throws CorruptJsonException if there is none */
        String text(String name) throws IOException;
    }

    private RecipeFiles() {}

    /** Files by their names; equal recipes give equal files. */
    public static SequencedMap<String, String> write(PlanRecipe recipe) {
        SequencedMap<String, String> files = new LinkedHashMap<>();
        files.put(RECIPE, head(recipe));
        files.put(SEQUENCE, recipe.sequence() + "\n");
        recipe.costs()
                .file()
                .ifPresent(file -> files.put(COSTS, new String(CostFileJson.write(file), StandardCharsets.UTF_8)));
        for (int i = 0; i < recipe.sources().size(); i++) {
            files.put(source(i), recipe.sources().get(i).text());
        }
        return files;
    }

    private static String source(int index) {
        return "source-" + index + ".model";
    }

    private static String head(PlanRecipe recipe) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonText.FACTORY.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("format", FORMAT);
            json.writeStringField("purpose", recipe.purpose().label());
            json.writeStringField("precision", recipe.precision().label());
            json.writeNumberField("seed", recipe.seed());
            json.writeStringField("costModel", recipe.costs().name());
            json.writeNumberField("tighteningRounds", recipe.tighteningRounds());
            JsonFields.array(json, "sources", recipe.sources(), source -> json.writeString(source.file()));
            json.writeObjectFieldStart("retained");
            for (Map.Entry<String, RetainReason> value : recipe.retained().entrySet()) {
                json.writeStringField(value.getKey(), value.getValue().label());
            }
            json.writeEndObject();
            if (recipe.chunks().isGiven()) {
                json.writeNumberField(CHUNKS, recipe.chunks().count());
            }
            boolean moves = !recipe.below().isNothing();
            if (recipe.microBatches() != 1 || moves) {
                json.writeNumberField("microBatches", recipe.microBatches());
            }
            if (recipe.microBatchOrder() != MicroBatchOrder.DEPTH) {
                json.writeStringField(ORDER, recipe.microBatchOrder().toString());
            }
            if (moves) {
                write(recipe.below(), json);
            }
            json.writeEndObject();
            json.writeRaw('\n');
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return text.toString();
    }

    private static void write(Below below, JsonGenerator json) throws IOException {
        json.writeStringField("offload", below.movable().toString());
        JsonFields.array(json, "tiers", below.tiers(), tier -> TierJson.write(tier, json));
    }

    private static Below below(JsonCursor json) throws IOException {
        List<String> labels = Stream.of(Movable.values()).map(Movable::toString).toList();
        Movable movable = Movable.values()[labels.indexOf(json.field("offload").oneOf(labels))];
        return new Below(json.field("tiers").list(() -> TierJson.read(json)), movable);
    }

    /**
     * Reads them back.
     *
     * @param settings of the manifest
     * @throws CorruptJsonException if one is missing or none of this version
     */
    public static PlanRecipe read(Files files, SequencedMap<String, String> settings) throws IOException {
        try (JsonParser parser = JsonText.FACTORY.createParser(files.text(RECIPE))) {
            JsonCursor json = new JsonCursor(parser);
            json.beginObject();
            json.field("format").constant(FORMAT);
            String purpose = json.field("purpose").text();
            Purpose step = json.parsed(() -> Purpose.ofLabel(purpose));
            String precision = json.field("precision").text();
            DType dtype = json.parsed(() -> DType.ofLabel(precision));
            long seed = json.field("seed").number();
            String costModel = json.field("costModel").text();
            int rounds = json.field("tighteningRounds").index();
            List<String> names = json.field("sources").list(json::text);
            SequencedMap<String, RetainReason> retained = new LinkedHashMap<>();
            json.field("retained").beginObject();
            json.fields(value -> {
                String reason = json.text();
                retained.put(value, json.parsed(() -> RetainReason.ofLabel(reason)));
            });
            Chunks chunks = json.atField(CHUNKS) ? chunks(json) : Chunks.AS_WRITTEN;
            int microBatches = json.atField() ? json.field("microBatches").index() : 1;
            MicroBatchOrder order = json.atField(ORDER) ? order(json) : MicroBatchOrder.DEPTH;
            Below below = json.atField() ? below(json) : Below.NOTHING;
            json.endObject();
            json.end();
            List<Source> sources = new ArrayList<>();
            for (String name : names) {
                sources.add(new Source(name, files.text(source(sources.size()))));
            }
            CostModel costs = costs(costModel, files);
            String sequence = files.text(SEQUENCE);
            return json.parsed(() -> new PlanRecipe(
                    sources,
                    settings,
                    step,
                    dtype,
                    microBatches,
                    order,
                    seed,
                    costs,
                    below,
                    chunks,
                    sequence,
                    retained,
                    rounds));
        }
    }

    private static Chunks chunks(JsonCursor json) throws IOException {
        int count = json.field(CHUNKS).index();
        return json.parsed(() -> Chunks.wherePossible(count));
    }

    private static MicroBatchOrder order(JsonCursor json) throws IOException {
        List<String> labels = Stream.of(MicroBatchOrder.values())
                .map(MicroBatchOrder::toString)
                .toList();
        return MicroBatchOrder.values()[labels.indexOf(json.field(ORDER).oneOf(labels))];
    }

    private static CostModel costs(String name, Files files) throws IOException {
        if (name.equals(new UnitCost().name())) {
            return new UnitCost();
        }
        try {
            return switch (CostFileJson.read(files.text(COSTS).getBytes(StandardCharsets.UTF_8))) {
                case CostFile.Device(var device) -> new RooflineCost(device);
                case CostFile.Profile(var profile, var _) -> ProfileCost.named(name, profile);
            };
        } catch (CorruptCostsException e) {
            throw new CorruptJsonException(COSTS + ": " + e.getMessage());
        }
    }
}
