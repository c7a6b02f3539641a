package dev.remat.ir.execution;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.ir.Dim;
import dev.remat.ir.Initializer;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.graph.ShareOf;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.op.Op;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Execution plan to JSON; {@link PlanReader} expects fields in the order in which they are written here. */
final class PlanWriter {
    private final JsonGenerator json;

    PlanWriter(JsonGenerator json) {
        this.json = json;
    }

    void write(ExecutionPlan plan) throws IOException {
        json.writeStartObject();
        String format = ExecutionPlanJson.format(plan);
        json.writeStringField("format", format);
        json.writeStringField("model", plan.model());
        json.writeStringField("modelHash", plan.modelHash());
        json.writeStringField("target", plan.target());
        json.writeNumberField("seed", plan.seed());
        json.writeNumberField("arenaBytes", plan.arenaBytes());
        JsonFields.objects(json, "inputs", plan.inputs(), input -> write(input));
        JsonFields.objects(json, "steps", plan.steps(), step -> write(step));
        if (!format.equals(ExecutionPlanJson.FORMAT)) {
            JsonFields.objects(json, "sections", plan.sections(), section -> write(section));
        }
        JsonFields.objects(json, "outputs", plan.outputs(), output -> write(output));
        if (ExecutionPlanJson.tellsPlaces(format)) {
            new TransfersWriter(json).write(plan.transfers());
        }
        json.writeEndObject();
        json.writeRaw('\n');
    }

    private void write(ArenaTensor input) throws IOException {
        json.writeNumberField("value", input.value());
        json.writeStringField("name", input.name());
        type("type", input.type());
        json.writeStringField("kind", input.kind().label());
        json.writeFieldName("initializer");
        write(input.initializer());
        json.writeNumberField("offset", input.offset());
        json.writeStringField("at", input.location().toString());
        if (!input.isInArena()) {
            json.writeNumberField("place", input.place());
        }
        if (input.rows().isPresent()) {
            json.writeObjectFieldStart("rows");
            json.writeStringField("of", input.rows().get().tensor());
            json.writeNumberField("from", input.rows().get().from());
            json.writeEndObject();
        }
        if (input.share().isPresent()) {
            JsonFields.objects(json, "share", input.share().get().parts(), part -> write(part));
        }
    }

    private void write(ShareOf.Part part) throws IOException {
        json.writeStringField("of", part.tensor());
        type("type", part.type());
        json.writeFieldName("initializer");
        write(part.initializer());
        json.writeNumberField("from", part.first());
        json.writeStringField("at", part.location().toString());
    }

    private void write(Initializer initializer) throws IOException {
        json.writeStartArray();
        switch (initializer) {
            case Initializer.Constant(double value) -> write("constant", value);
            case Initializer.Normal(double mean, double std) -> write("normal", mean, std);
            case Initializer.Uniform(double low, double high) -> write("uniform", low, high);
            case Initializer.Lengths(String of, long run, Initializer measured) -> {
                json.writeString("lengths");
                json.writeString(of);
                json.writeNumber(run);
                write(measured);
            }
        }
        json.writeEndArray();
    }

    private void write(String name, double... numbers) throws IOException {
        json.writeString(name);
        for (double number : numbers) {
            json.writeNumber(number);
        }
    }

    private void write(KernelStep step) throws IOException {
        json.writeStringField("name", step.name());
        json.writeStringField("role", step.role().label());
        json.writeStringField("at", step.location().toString());
        json.writeBooleanField("recomputed", step.recomputed());
        JsonFields.objects(json, "body", step.body().instructions(), instruction -> write(instruction));
        JsonFields.objects(json, "reads", step.reads(), read -> write(read));
        JsonFields.objects(json, "writes", step.writes(), write -> write(write));
        json.writeFieldName("workspace");
        write(step.workspace());
        JsonFields.array(json, "freed", step.freed(), freed -> write(freed));
    }

    private void write(Instruction instruction) throws IOException {
        Op op = instruction.op();
        json.writeStringField("op", op.mnemonic());
        json.writeStringField("at", instruction.location().toString());
        json.writeObjectFieldStart("attributes");
        for (Map.Entry<String, String> attribute : op.attributes().values().entrySet()) {
            json.writeStringField(attribute.getKey(), attribute.getValue());
        }
        json.writeEndObject();
        JsonFields.array(json, "operands", instruction.operands(), operand -> {
            json.writeStartArray();
            switch (operand) {
                case Operand.FromMemory(int index) -> write("read", index);
                case Operand.FromInstruction(int from, int result) -> write("result", from, result);
                case Operand.FromSeed(int ordinal) -> write("seed", ordinal);
            }
            json.writeEndArray();
        });
        JsonFields.array(json, "types", instruction.types(), type -> write(type));
    }

    private void write(String name, int... numbers) throws IOException {
        json.writeString(name);
        for (int number : numbers) {
            json.writeNumber(number);
        }
    }

    private void write(MemoryRead read) throws IOException {
        StridedView view = read.view();
        json.writeNumberField("value", read.value());
        json.writeNumberField("offset", read.offset());
        json.writeNumberField("bytes", read.bytes());
        json.writeStringField("dtype", read.dtype().label());
        json.writeNumberField("start", view.offset());
        numbers("extents", view.extents());
        numbers("strides", view.strides());
    }

    private void numbers(String name, List<Long> numbers) throws IOException {
        JsonFields.array(json, name, numbers, number -> json.writeNumber(number));
    }

    private void write(MemoryWrite write) throws IOException {
        json.writeNumberField("value", write.value());
        json.writeStringField("name", write.name());
        json.writeNumberField("offset", write.offset());
        type("type", write.type());
        json.writeNumberField("instruction", write.instruction());
        json.writeNumberField("result", write.result());
        if (!write.isDense()) {
            json.writeNumberField("bytes", write.bytes());
            json.writeNumberField("start", write.view().offset());
            numbers("strides", write.view().strides());
        }
    }

    private void write(Section section) throws IOException {
        json.writeNumberField("from", section.from());
        json.writeNumberField("to", section.to());
        json.writeNumberField("times", section.times());
    }

    private void write(PlanOutput output) throws IOException {
        json.writeStringField("name", output.name());
        json.writeNumberField("value", output.value());
        type("type", output.type());
        json.writeNumberField("offset", output.offset());
        json.writeNumberField("readyAfter", output.readyAfter());
    }

    private void write(ByteRange range) throws IOException {
        json.writeStartArray();
        json.writeNumber(range.offset());
        json.writeNumber(range.bytes());
        json.writeEndArray();
    }

    private void type(String field, TensorType type) throws IOException {
        json.writeFieldName(field);
        write(type);
    }

    /** {@code ["f32", 8, 4]}. */
    private void write(TensorType type) throws IOException {
        json.writeStartArray();
        json.writeString(type.dtype().label());
        for (Dim dim : type.shape().dims()) {
            json.writeNumber(dim.value());
        }
        json.writeEndArray();
    }
}
