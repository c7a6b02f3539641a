package dev.remat.cli.runs;

import com.fasterxml.jackson.core.JsonParser;
import dev.remat.cli.view.PlanFile;
import dev.remat.compiler.account.PlanDigest;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.CorruptPlanException;
import dev.remat.ir.io.SourceFiles;
import dev.remat.ir.json.CorruptJsonException;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.json.JsonText;
import dev.remat.runtime.log.RunLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What {@code plan --json} says of the plan that a run has run.
 *
 * @param kernels predicted against measured times, where the plan was made with a profile
 */
record RunPlan(PlanDigest digest, Optional<Kernels> kernels) {
    /** Where a log tells it. */
    static final String FILE = RunLog.PLAN;
    /** Bytes that it has at most. */
    private static final int LARGEST = 1 << 28;

    /**
     * Times of kernels in a step.
     *
     * @param predictor the roofline that predicts
     * @param lines of families, or of equal kernels, longest first
     */
    record Kernels(String predictor, List<Line> families, List<Line> lines) {
        Kernels {
            families = List.copyOf(families);
            lines = List.copyOf(lines);
        }
    }

    /** @param at place in the model; empty for a family */
    record Line(String name, String at, int runs, double predictedMillis, double measuredMillis) {}

    /** @throws CorruptPlanException if it is no such file, with what is wrong and where */
    static RunPlan read(Path file) {
        Source source = SourceFiles.read(file, LARGEST);
        PlanDigest digest = PlanFile.read(source);
        try (JsonParser parser = JsonText.FACTORY.createParser(source.text())) {
            JsonCursor json = new JsonCursor(parser);
            KernelsReader reader = new KernelsReader(json);
            json.beginObject();
            json.fields(reader::field);
            return new RunPlan(digest, reader.kernels());
        } catch (CorruptJsonException e) {
            throw new CorruptPlanException(file + " is not what 'remat plan --json' prints: " + e.getMessage());
        } catch (IOException e) {
            throw new UncheckedIOException("reading from memory failed", e);
        }
    }

    private static final class KernelsReader {
        private final JsonCursor json;
        private Optional<String> predictor = Optional.empty();
        private final List<Line> families = new ArrayList<>();
        private final List<Line> lines = new ArrayList<>();

        KernelsReader(JsonCursor json) {
            this.json = json;
        }

        void field(String name) throws IOException {
            if (name.equals("measured")) {
                json.beginObject();
                json.fields(this::measured);
            } else {
                json.skip();
            }
        }

        private void measured(String name) throws IOException {
            switch (name) {
                case "predictor" -> predictor = Optional.of(json.text());
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
            return predictor.map(name -> new Kernels(name, families, lines));
        }
    }
}
