package dev.remat.ir.execution;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.RowsOf;
import dev.remat.ir.graph.ShareOf;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.op.Attributes;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Ops;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** JSON to execution plan: every field must be there, in the order in which {@link PlanWriter} writes it. */
final class PlanReader {
    private static final int MAX_RANK = 16;

    private final JsonCursor json;

    PlanReader(JsonCursor json) {
        this.json = json;
    }

    ExecutionPlan read() throws IOException {
        json.beginObject();
        String format = json.field("format").text();
        boolean inPlaces = ExecutionPlanJson.tellsPlaces(format);
        boolean inSections = inPlaces || format.equals(ExecutionPlanJson.FORMAT_OF_SECTIONS);
        if (!inSections && !format.equals(ExecutionPlanJson.FORMAT)) {
            throw new CorruptPlanException("has format " + format + ", this version of remat reads "
                    + ExecutionPlanJson.FORMAT + ", " + ExecutionPlanJson.FORMAT_OF_SECTIONS + ", "
                    + ExecutionPlanJson.FORMAT_OF_PLACES + " and " + ExecutionPlanJson.FORMAT_OF_SHARES);
        }
        String model = json.field("model").text();
        String modelHash = json.field("modelHash").text();
        String target = json.field("target").text();
        long seed = json.field("seed").number();
        long arenaBytes = bytes("arenaBytes");
        List<ArenaTensor> inputs = json.field("inputs").list(this::input);
        List<KernelStep> steps = json.field("steps").list(this::step);
        List<Section> sections =
                inSections ? json.field("sections").list(this::section) : List.of(new Section(0, steps.size(), 1));
        List<PlanOutput> outputs = json.field("outputs").list(this::output);
        Transfers transfers = inPlaces ? new TransfersReader(json).read() : Transfers.NONE;
        json.endObject();
        json.end();
        return json.parsed(() -> new ExecutionPlan(
                model, modelHash, target, seed, arenaBytes, inputs, steps, sections, outputs, transfers));
    }

    private Section section() throws IOException {
        json.beginObject();
        int from = json.field("from").index();
        int to = json.field("to").index();
        int times = json.field("times").index();
        json.endObject();
        return json.parsed(() -> new Section(from, to, times));
    }

    private ArenaTensor input() throws IOException {
        json.beginObject();
        int value = json.field("value").index();
        String name = json.field("name").text();
        TensorType type = type("type");
        String kind = json.field("kind").text();
        Initializer initializer = initializer();
        long offset = bytes("offset");
        range(offset, type.bytes());
        Location location = location();
        int place = json.atField("place") ? json.field("place").index() : ArenaTensor.ARENA;
        Optional<RowsOf> rows = json.atField("rows") ? Optional.of(rows()) : Optional.empty();
        Optional<ShareOf> share = json.atField() ? Optional.of(share()) : Optional.empty();
        json.endObject();
        return json.parsed(() -> new ArenaTensor(
                value,
                name,
                type,
                InputKind.valueOf(kind.toUpperCase(Locale.ROOT)),
                initializer,
                place,
                offset,
                location,
                rows,
                share));
    }

    private ShareOf share() throws IOException {
        List<ShareOf.Part> parts = json.field("share").list(this::part);
        return json.parsed(() -> new ShareOf(parts));
    }

    private ShareOf.Part part() throws IOException {
        json.beginObject();
        String tensor = json.field("of").text();
        TensorType type = type("type");
        Initializer initializer = initializer();
        long first = json.field("from").unsigned();
        Location location = location();
        json.endObject();
        return new ShareOf.Part(tensor, type, initializer, location, first);
    }

    private RowsOf rows() throws IOException {
        json.field("rows").beginObject();
        String tensor = json.field("of").text();
        long from = json.field("from").unsigned();
        json.endObject();
        return new RowsOf(tensor, from);
    }

    private Initializer initializer() throws IOException {
        json.field("initializer");
        return started();
    }

    private Initializer started() throws IOException {
        json.beginArray();
        String name = json.text();
        Initializer initializer = switch (name) {
            case "constant" -> new Initializer.Constant(json.real());
            case "normal" -> new Initializer.Normal(json.real(), json.real());
            case "uniform" -> new Initializer.Uniform(json.real(), json.real());
            case "lengths" -> {
                String of = json.text();
                long run = json.number();
                Initializer measured = started();
                yield json.parsed(() -> new Initializer.Lengths(of, run, measured));
            }
            default -> throw json.corrupt("unknown initializer " + name);
        };
        json.endArray();
        return initializer;
    }

    private KernelStep step() throws IOException {
        json.beginObject();
        String name = json.field("name").text();
        String role = json.field("role").text();
        Role parsed = json.parsed(() -> Role.valueOf(role.toUpperCase(Locale.ROOT)));
        KernelStepBuilder step = new KernelStepBuilder(name, parsed, location());
        step.recomputed(json.field("recomputed").flag());
        json.field("body").list(this::instruction).forEach(step::add);
        json.field("reads").list(this::memoryRead).forEach(step::read);
        json.field("writes").list(this::memoryWrite).forEach(step::write);
        step.workspace(range("workspace"));
        step.freed(json.field("freed").list(this::range));
        json.endObject();
        return step.build();
    }

    private Instruction instruction() throws IOException {
        json.beginObject();
        String mnemonic = json.field("op").text();
        Location location = location();
        Attributes attributes = new Attributes(json.field("attributes").texts());
        Op op = json.parsed(() -> Ops.parse(mnemonic, attributes));
        List<Operand> operands = json.field("operands").list(this::operand);
        List<TensorType> types = json.field("types").list(this::type);
        json.endObject();
        return new Instruction(op, operands, types, location);
    }

    private Operand operand() throws IOException {
        json.beginArray();
        String kind = json.text();
        Operand operand = switch (kind) {
            case "read" -> new Operand.FromMemory(json.index());
            case "result" -> new Operand.FromInstruction(json.index(), json.index());
            case "seed" -> new Operand.FromSeed(json.index());
            default -> throw json.corrupt("unknown operand " + kind);
        };
        json.endArray();
        return operand;
    }

    private MemoryRead memoryRead() throws IOException {
        json.beginObject();
        int value = json.field("value").index();
        long offset = bytes("offset");
        long bytes = bytes("bytes");
        range(offset, bytes);
        DType dtype = dtype(json.field("dtype").text());
        long start = bytes("start");
        List<Long> extents = json.field("extents").list(json::number);
        List<Long> strides = json.field("strides").list(json::number);
        json.endObject();
        return new MemoryRead(value, offset, bytes, dtype, json.parsed(() -> new StridedView(start, extents, strides)));
    }

    private MemoryWrite memoryWrite() throws IOException {
        json.beginObject();
        int value = json.field("value").index();
        String name = json.field("name").text();
        long offset = bytes("offset");
        TensorType type = type("type");
        range(offset, type.bytes());
        int instruction = json.field("instruction").index();
        int result = json.field("result").index();
        if (!json.atField()) {
            json.endObject();
            return MemoryWrite.dense(value, name, offset, type, instruction, result);
        }
        long bytes = bytes("bytes");
        range(offset, bytes);
        long start = bytes("start");
        List<Long> strides = json.field("strides").list(json::number);
        json.endObject();
        List<Long> extents = StridedView.dense(type.shape()).extents();
        StridedView view = json.parsed(() -> new StridedView(start, extents, strides));
        return new MemoryWrite(value, name, offset, bytes, type, view, instruction, result);
    }

    private PlanOutput output() throws IOException {
        json.beginObject();
        String name = json.field("name").text();
        int value = json.field("value").index();
        TensorType type = type("type");
        long offset = bytes("offset");
        range(offset, type.bytes());
        long readyAfter = json.field("readyAfter").number();
        if (readyAfter < -1 || readyAfter > Integer.MAX_VALUE) {
            throw json.corrupt("a step is expected");
        }
        json.endObject();
        return new PlanOutput(name, value, type, offset, (int) readyAfter);
    }

    private long bytes(String field) throws IOException {
        return json.field(field).unsigned();
    }

    private ByteRange range(String field) throws IOException {
        json.field(field);
        return range();
    }

    /** {@code [offset, bytes]}. */
    private ByteRange range() throws IOException {
        json.beginArray();
        long offset = json.unsigned();
        long bytes = json.unsigned();
        json.endArray();
        return range(offset, bytes);
    }

    private ByteRange range(long offset, long bytes) {
        try {
            return new ByteRange(offset, bytes);
        } catch (IllegalArgumentException e) {
            throw json.corrupt(e.getMessage());
        }
    }

    private TensorType type(String field) throws IOException {
        json.field(field);
        return type();
    }

    private TensorType type() throws IOException {
        json.beginArray();
        DType dtype = dtype(json.text());
        List<Long> dims = new ArrayList<>();
        while (json.more()) {
            dims.add(json.unsigned());
        }
        json.endArray();
        if (dims.size() > MAX_RANK) {
            throw json.corrupt("a tensor has at most " + MAX_RANK + " axes");
        }
        TensorType type = new TensorType(
                dtype, Shape.of(dims.stream().mapToLong(Long::longValue).toArray()));
        json.parsed(type::bytes);
        return type;
    }

    private DType dtype(String label) {
        return json.parsed(() -> DType.ofLabel(label));
    }

    /** {@code file:line:column}; a file may have colons in its name. */
    private Location location() throws IOException {
        String text = json.field("at").text();
        int column = text.lastIndexOf(':');
        int line = text.lastIndexOf(':', column - 1);
        if (line < 0) {
            throw json.corrupt("a place file:line:column is expected");
        }
        return json.parsed(() -> new Location(
                text.substring(0, line),
                Integer.parseInt(text.substring(line + 1, column)),
                Integer.parseInt(text.substring(column + 1))));
    }
}
