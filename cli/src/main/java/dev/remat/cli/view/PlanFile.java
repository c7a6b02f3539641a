package dev.remat.cli.view;

import com.fasterxml.jackson.core.JsonParser;
import dev.remat.compiler.account.PlanDigest;
import dev.remat.compiler.account.PlanDigest.AtPeak;
import dev.remat.compiler.account.PlanDigest.Holding;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.CorruptPlanException;
import dev.remat.ir.io.SourceFiles;
import dev.remat.ir.json.CorruptJsonException;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.json.JsonText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SequencedMap;

/**
 * What {@code plan --json} has printed; fields that do not matter here are passed over.
 *
 * @param kernels predicted against measured times, where the plan was made with a profile
 * @param fromStep the first step that a run made by it, where a run's log says so
 */
public record PlanFile(PlanDigest digest, Optional<Kernels> kernels, OptionalLong fromStep) {
    /** The field that a run's log adds. */
    public static final String FROM_STEP = "fromStep";

    private static final String SCHEMA = "remat-plan/1";
    /** Bytes that it has at most. */
    private static final int LARGEST = 1 << 28;

    /**
     * Times of kernels in a step.
     *
     * @param predictor the roofline that predicts
     * @param lines of families, or of equal kernels, longest first
     */
    public record Kernels(String predictor, List<Line> families, List<Line> lines) {
        public Kernels {
            families = List.copyOf(families);
            lines = List.copyOf(lines);
        }
    }

    /** @param at place in the model; empty for a family */
    public record Line(String name, String at, int runs, double predictedMillis, double measuredMillis) {}

    /** @throws CorruptPlanException if it is no such file, with what is wrong and where */
    public static PlanFile read(Path file) {
        Source source = SourceFiles.read(file, LARGEST);
        try (JsonParser parser = JsonText.FACTORY.createParser(source.text())) {
            Reader reader = new Reader(new JsonCursor(parser));
            PlanDigest digest = reader.plan();
            reader.json.end();
            return new PlanFile(digest, reader.kernels(), reader.fromStep);
        } catch (CorruptJsonException e) {
            throw new CorruptPlanException(
                    source.file() + " is not what 'remat plan --json' prints: " + e.getMessage());
        } catch (IOException e) {
            throw new UncheckedIOException("reading from memory failed", e);
        }
    }

    private static final class Reader {
        private final JsonCursor json;
        private final Map<String, String> texts = new LinkedHashMap<>();
        private final Map<String, Long> numbers = new LinkedHashMap<>();
        private final SequencedMap<String, Long> symbols = new LinkedHashMap<>();
        private final SequencedMap<String, Holding> retained = new LinkedHashMap<>();
        private final SequencedMap<String, Holding> recomputed = new LinkedHashMap<>();
        private final List<String> moved = new ArrayList<>();
        private final List<Line> families = new ArrayList<>();
        private final List<Line> lines = new ArrayList<>();
        private boolean recomputedSeen;
        private int microBatches = 1;
        private OptionalLong budget = OptionalLong.empty();
        private OptionalLong fromStep = OptionalLong.empty();
        private OptionalDouble millis = OptionalDouble.empty();
        private double overhead;

        Reader(JsonCursor json) {
            this.json = json;
        }

        private PlanDigest plan() throws IOException {
            json.beginObject();
            json.field("schema").constant(SCHEMA);
            json.fields(this::field);
            if (!recomputedSeen) {
                throw new CorruptJsonException("it does not say what is recomputed");
            }
            return new PlanDigest(
                    text("model"),
                    text("modelHash"),
                    symbols,
                    microBatches,
                    text("target"),
                    text("strategy"),
                    budget,
                    number("arenaBytes"),
                    number("peakLiveBytes"),
                    new AtPeak(
                            number("parameterBytes"),
                            number("optimizerBytes"),
                            number("gradientBytesAtPeak"),
                            number("activationBytesAtPeak"),
                            number("workspaceBytesAtPeak")),
                    millis,
                    overhead,
                    text("costModel"),
                    (int) number("kernels"),
                    PlanDigest.holdings(retained, recomputed, moved));
        }

        private void field(String name) throws IOException {
            switch (name) {
                case "model", "modelHash", "target", "strategy", "costModel" -> texts.put(name, json.text());
                case "budgetBytes" ->
                    budget = json.takeNull() ? OptionalLong.empty() : OptionalLong.of(json.unsigned());
                case "symbols" -> {
                    json.beginObject();
                    json.fields(symbol -> symbols.put(symbol, json.unsigned()));
                }
                case FROM_STEP -> fromStep = OptionalLong.of(json.unsigned());
                case "microBatches" -> microBatches = json.index();
                case "measured" -> {
                    json.beginObject();
                    json.fields(this::measured);
                }
                case "memory", "compute" -> {
                    json.beginObject();
                    json.fields(this::field);
                }
                case "nodes" -> {
                    json.beginObject();
                    json.fields(this::count);
                }
                case "arenaBytes",
                        "peakLiveBytes",
                        "parameterBytes",
                        "optimizerBytes",
                        "gradientBytesAtPeak",
                        "activationBytesAtPeak",
                        "workspaceBytesAtPeak" -> numbers.put(name, json.unsigned());
                case "estimatedMillis" -> millis = optional();
                case "overhead" -> overhead = json.real();
                case "retained" -> json.list(() -> tensor(retained, false));
                case "recomputed" -> {
                    json.list(() -> tensor(recomputed, true));
                    recomputedSeen = true;
                }
                case "offloaded" -> moved.addAll(json.list(() -> tensor(new LinkedHashMap<>(), false)));
                default -> json.skip();
            }
        }

        private void count(String name) throws IOException {
            if (name.equals("kernels")) {
                numbers.put(name, (long) json.index());
            } else {
                json.skip();
            }
        }

        private void measured(String name) throws IOException {
            switch (name) {
                case "predictor" -> texts.put(name, json.text());
                case "families" -> families.addAll(json.list(this::line));
                case "kernels" -> lines.addAll(json.list(this::line));
                default -> json.skip();
            }
        }

        private Line line() throws IOException {
            String[] texts = {"", ""};
            int[] runs = {0};
            double[] millis = {0, 0};
            json.beginObject();
            json.fields(field -> {
                switch (field) {
                    case "name" -> texts[0] = json.text();
                    case "at" -> texts[1] = json.text();
                    case "runs" -> runs[0] = json.index();
                    case "predictedMillis" -> millis[0] = json.real();
                    case "measuredMillis" -> millis[1] = json.real();
                    default -> json.skip();
                }
            });
            return new Line(texts[0], texts[1], runs[0], millis[0], millis[1]);
        }

        Optional<Kernels> kernels() {
            return Optional.ofNullable(texts.get("predictor")).map(name -> new Kernels(name, families, lines));
        }

        private OptionalDouble optional() throws IOException {
            return json.takeNull() ? OptionalDouble.empty() : OptionalDouble.of(json.real());
        }

        private String tensor(SequencedMap<String, Holding> into, boolean again) throws IOException {
            String[] name = {null};
            long[] bytes = {-1};
            int[] times = {0};
            OptionalDouble[] taken = {OptionalDouble.empty()};
            json.beginObject();
            json.fields(field -> {
                switch (field) {
                    case "value" -> name[0] = json.text();
                    case "bytes" -> bytes[0] = json.unsigned();
                    case "times" -> times[0] = json.index();
                    case "millis" -> taken[0] = optional();
                    default -> json.skip();
                }
            });
            if (name[0] == null || bytes[0] < 0) {
                throw new CorruptJsonException("a tensor lacks its value or bytes");
            }
            into.put(name[0], again ? Holding.recomputed(bytes[0], times[0], taken[0]) : Holding.kept(bytes[0]));
            return name[0];
        }

        private String text(String field) {
            if (!texts.containsKey(field)) {
                throw new CorruptJsonException("the field \"" + field + "\" is missing");
            }
            return texts.get(field);
        }

        private long number(String field) {
            if (!numbers.containsKey(field)) {
                throw new CorruptJsonException("the field \"" + field + "\" is missing");
            }
            return numbers.get(field);
        }
    }
}
