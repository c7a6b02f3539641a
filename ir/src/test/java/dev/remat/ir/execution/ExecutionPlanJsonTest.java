package dev.remat.ir.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import dev.remat.ir.op.Op;
import dev.remat.ir.op.OpFamily;
import dev.remat.ir.op.Ops;
import dev.remat.ir.plan.Lane;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExecutionPlanJsonTest {
    private static final TensorType TYPE = TensorType.of(DType.F32, 2, 3);
    private static final Location PLACE = new Location("a:b \"c\".model", 3, 7);

    /** A plan with every operation of the table in one step; what it computes makes no sense. */
    private static ExecutionPlan plan() {
        KernelStepBuilder step = new KernelStepBuilder("h'", Role.BACKWARD, PLACE).recomputed(true);
        for (OpFamily family : Ops.ALL) {
            for (Op op : family.examples()) {
                step.add(
                        op,
                        List.of(TYPE, TensorType.SEED),
                        List.of(new Operand.FromMemory(0), new Operand.FromInstruction(0, 1), new Operand.FromSeed(4)));
            }
        }
        List<ArenaTensor> inputs = List.of(
                input(0, InputKind.DATA, Initializer.ZEROS),
                input(1, InputKind.PARAMETER, new Initializer.Normal(0.1, 1e-300)),
                input(2, InputKind.STATE, new Initializer.Uniform(-1 / 3.0, 0.2)),
                input(
                        4,
                        InputKind.PARAMETER,
                        new Initializer.Lengths("b.weight_v", 27, new Initializer.Normal(0, 0.5))),
                input(3, InputKind.STEP, Initializer.ONES));
        StridedView turned = StridedView.dense(Shape.of(2, 3)).transpose(List.of(1, 0));
        step.read(new MemoryRead(0, 256, 24, DType.F32, turned));
        step.read(MemoryRead.dense(1, 768, TYPE));
        step.read(MemoryRead.dense(0, 256, TYPE));
        step.write(MemoryWrite.dense(9, "h'", 512, TYPE, 0, 0));
        step.write(new MemoryWrite(8, "rows", 1280, 48, TYPE, StridedView.dense(TYPE.shape()), 0, 0));
        StridedView upper = new StridedView(6, List.of(2L, 3L), List.of(1L, 2L));
        step.write(new MemoryWrite(8, "rows", 1280, 48, TYPE, upper, 0, 0))
                .workspace(new ByteRange(1024, 100))
                .freed(List.of(new ByteRange(0, 24), new ByteRange(256, 24)));
        PlanOutput output = new PlanOutput("loss", 9, TensorType.scalar(DType.F64), 512, 0);
        return new ExecutionPlan("Größe", "ab12", "cpu", -5, 1L << 40, inputs, List.of(step.build()), List.of(output));
    }

    private static ArenaTensor input(int value, InputKind kind, Initializer initializer) {
        return new ArenaTensor(value, "t" + value, TYPE, kind, initializer, 256L * value, PLACE);
    }

    private static byte[] bytes(ExecutionPlan plan) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ExecutionPlanJson.write(plan, out);
        return out.toByteArray();
    }

    private static ExecutionPlan read(String text) throws IOException {
        return ExecutionPlanJson.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String text() throws IOException {
        return new String(bytes(plan()), StandardCharsets.UTF_8);
    }

    @Test
    void readsWhatItWrote() throws IOException {
        assertThat(read(text())).isEqualTo(plan());
    }

    @Test
    void writesTheSameBytesAgain() throws IOException {
        assertThat(bytes(read(text()))).isEqualTo(bytes(plan()));
    }

    @Test
    void rounds() throws IOException {
        ExecutionPlan inRounds = inSections(new Section(0, 1, 8));
        String text = new String(bytes(inRounds), StandardCharsets.UTF_8);
        assertThat(text).contains("remat-execution-plan/2", "\"sections\":[{\"from\":0,\"to\":1,\"times\":8}]");
        assertThat(read(text)).isEqualTo(inRounds);
        // Each of the two ranks of its exchanges has eight.
        assertThat(inRounds.microBatches()).isEqualTo(16);
    }

    private static ExecutionPlan moving() {
        ExecutionPlan plan = plan();
        Transfer store = new Transfer(Lane.STORE, 0, 9, 9, "h", new ByteRange(512, 24), 4096, List.of(), true);
        Transfer fetch = new Transfer(Lane.FETCH, 0, 12, 9, "h", new ByteRange(768, 24), 4096, List.of(0), false);
        List<TransferEvent> events = List.of(
                new TransferEvent.Begin(0, store),
                new TransferEvent.Await(0, 0),
                new TransferEvent.Begin(1, fetch),
                new TransferEvent.Await(1, 1));
        ArenaTensor below = new ArenaTensor(
                5, "w", TYPE, InputKind.STATE, Initializer.ZEROS, 0, 4120, PLACE, Optional.empty(), Optional.empty());
        return new ExecutionPlan(
                plan.model(),
                plan.modelHash(),
                plan.target(),
                plan.seed(),
                plan.arenaBytes(),
                Stream.concat(plan.inputs().stream(), Stream.of(below)).toList(),
                plan.steps(),
                plan.sections(),
                plan.outputs(),
                new Transfers(List.of(new PlaceSize("disk", 8192)), events));
    }

    /** In the arena, too: there, what another plan keeps lies as it does below. */
    @Test
    void rowsOfTensors() throws IOException {
        ExecutionPlan inRows = withInputs(rows("v[0:2]", "v", 0), rows("v[2:4]", "v", 2));
        String text = new String(bytes(inRows), StandardCharsets.UTF_8);
        assertThat(text).contains("\"rows\":{\"of\":\"v\",\"from\":2}}],\"steps\"");
        assertThat(read(text)).isEqualTo(inRows);
        assertThat(inRows.inputs().getLast().whole()).isEqualTo("v");
        for (String from : List.of("-2", "1", "3")) {
            assertThatThrownBy(() -> read(text.replace("\"from\":2}", "\"from\":" + from + "}")))
                    .isInstanceOf(CorruptPlanException.class);
        }
        assertThatThrownBy(() -> withInputs(rows("v[2:4]", "v", 2)))
                .hasMessage("'v[2:4]' does not follow other rows of 'v'");
        assertThatThrownBy(() -> withInputs(rows("t1[0:2]", "t1", 0))).hasMessage("'t1' is there whole, and in rows");
    }

    /** Of 6 and of 7 elements, the second behind a gap; rows of a share are of what that is. */
    @Test
    void sharesOfTensors() throws IOException {
        ShareOf share = new ShareOf(List.of(
                new ShareOf.Part("m.a", TYPE, Initializer.ZEROS, PLACE, 0),
                new ShareOf.Part("m.b", TensorType.of(DType.F32, 7), new Initializer.Constant(0.5), PLACE, 8)));
        ExecutionPlan plan = withInputs(share("own.m[0:4]", new RowsOf("own.m", 0), share, 4));
        String text = new String(bytes(plan), StandardCharsets.UTF_8);
        assertThat(text)
                .contains(
                        "remat-execution-plan/4",
                        "\"rows\":{\"of\":\"own.m\",\"from\":0},\"share\":[{\"of\":\"m.a\",",
                        "\"initializer\":[\"constant\",0.5],\"from\":8,\"at\":");
        assertThat(read(text)).isEqualTo(plan);
        assertThatThrownBy(() -> read(text.replace("\"from\":8", "\"from\":5")))
                .hasMessageContaining("'m.b' begins within another");
        assertThatThrownBy(() -> new ShareOf(List.of())).hasMessage("a share of nothing");
    }

    private static ArenaTensor share(String name, RowsOf rows, ShareOf share, long elements) {
        return new ArenaTensor(
                5,
                name,
                TensorType.of(DType.F32, elements),
                InputKind.STATE,
                Initializer.ZEROS,
                ArenaTensor.ARENA,
                4144,
                PLACE,
                Optional.of(rows),
                Optional.of(share));
    }

    private static ArenaTensor rows(String name, String whole, long from) {
        return new ArenaTensor(
                5,
                name,
                TYPE,
                InputKind.STATE,
                Initializer.ZEROS,
                ArenaTensor.ARENA,
                4144,
                PLACE,
                Optional.of(new RowsOf(whole, from)),
                Optional.empty());
    }

    private static ExecutionPlan withInputs(ArenaTensor... more) {
        ExecutionPlan plan = plan();
        return new ExecutionPlan(
                plan.model(),
                plan.modelHash(),
                plan.target(),
                plan.seed(),
                plan.arenaBytes(),
                Stream.concat(plan.inputs().stream(), Stream.of(more)).toList(),
                plan.steps(),
                plan.outputs());
    }

    @Test
    void transfers() throws IOException {
        String text = new String(bytes(moving()), StandardCharsets.UTF_8);
        assertThat(text)
                .contains(
                        "remat-execution-plan/3",
                        "\"sections\":[{\"from\":0,\"to\":1,\"times\":1}]",
                        "\"places\":[{\"name\":\"disk\",\"bytes\":8192}]",
                        "{\"event\":\"fetch\",\"before\":1,\"place\":0,\"value\":12,\"stored\":9,\"name\":\"h\","
                                + "\"offset\":768,\"bytes\":24,\"below\":4096,\"waits\":[0],\"frees\":false}",
                        ",\"place\":0}],\"steps\"",
                        "{\"event\":\"await\",\"before\":1,\"transfer\":1}");
        assertThat(read(text)).isEqualTo(moving());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        "event":"fetch" | "event":"keep"  | "store" or "fetch" or "await" is expected, not "keep"
        "event":"store","before":0 | "event":"store","before":1 | an event before step 0 stands behind one before 1
        "before":1,"transfer":1 | "before":2,"transfer":1 | an event before step 2 of 1
        "transfer":1 | "transfer":2 | transfer 2 is awaited when 2 have begun
        "waits":[0] | "waits":[1] | transfer 1 is awaited when 1 have begun
        "before":0,"transfer":0 | "before":0,"transfer":1 | 'h' is awaited before it is fetched
        "place":0,"value":12 | "place":1,"value":12 | 'h' is moved to place 1 of 1
        "place":0}],"steps" | "place":1}],"steps" | 'w' lives in place 1 of 1
        "kind":"state","initializer":["c | "kind":"data","initializer":["c | data 'w' cannot live in place 0
        "value":9,"stored":9 | "value":9,"stored":8 | 'h' is stored as something else
        """)
    void transfersThatCannotBe(String good, String bad, String complaint) throws IOException {
        String text = new String(bytes(moving()), StandardCharsets.UTF_8);
        assertThat(text).contains(good);
        assertThatThrownBy(() -> read(text.replace(good, bad)))
                .isInstanceOf(CorruptPlanException.class)
                .hasMessageContaining(complaint);
    }

    /** A store that is awaited in front of where it begins is the one of the step before. */
    @Test
    void storesThatRunOn() throws IOException {
        TransferEvent begin = moving().transfers().events().getFirst();
        Transfers late = new Transfers(moving().transfers().places(), List.of(new TransferEvent.Await(0, 0), begin));
        ExecutionPlan plan = moving().withTransfers(late);
        assertThat(late.runningOn()).containsExactly(0);
        assertThat(moving().transfers().runningOn()).isEmpty();
        assertThat(read(new String(bytes(plan), StandardCharsets.UTF_8))).isEqualTo(plan);

        List<Section> followed = List.of(new Section(0, 1, 1), new Section(1, 1, 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExecutionPlan(
                        plan.model(),
                        plan.modelHash(),
                        plan.target(),
                        plan.seed(),
                        plan.arenaBytes(),
                        plan.inputs(),
                        plan.steps(),
                        followed,
                        plan.outputs(),
                        late))
                .withMessage("'h' runs on behind a section that others follow");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Transfers(late.places(), List.of(new TransferEvent.Await(0, 1), begin)))
                .withMessage("transfer 1 is awaited when 1 have begun");
    }

    @Test
    void oneSectionThatRunsOnceIsNotWorthMentioning() throws IOException {
        assertThat(bytes(inSections(new Section(0, 1, 1)))).isEqualTo(bytes(plan()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        "times":8 | "times":0 | 0 times
        "from":0  | "from":1  | no section begins with step 0
        "to":1    | "to":0    | sections end with step 0 of 1
        "times":8 | "times":8},{"from":1,"to":1,"times":4 | sections run in different numbers of rounds
        """)
    void sectionsThatAreNoPartsOfTheSteps(String good, String bad, String complaint) throws IOException {
        String text = new String(bytes(inSections(new Section(0, 1, 8))), StandardCharsets.UTF_8);
        assertThatThrownBy(() -> read(text.replace(good, bad)))
                .isInstanceOf(CorruptPlanException.class)
                .hasMessageContaining(complaint);
    }

    private static ExecutionPlan inSections(Section... sections) {
        ExecutionPlan p = plan();
        return new ExecutionPlan(
                p.model(),
                p.modelHash(),
                p.target(),
                p.seed(),
                p.arenaBytes(),
                p.inputs(),
                p.steps(),
                List.of(sections),
                p.outputs(),
                Transfers.NONE);
    }

    @Test
    void hashIsThatOfTheFile() throws IOException, NoSuchAlgorithmException {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes(plan()));
        assertThat(ExecutionPlanJson.hash(plan())).isEqualTo(HexFormat.of().formatHex(digest));
    }

    @Test
    void hashTellsPlansApart() {
        ExecutionPlan p = plan();
        ExecutionPlan other = new ExecutionPlan(
                p.model(), p.modelHash(), p.target(), p.seed() + 1, p.arenaBytes(), p.inputs(), p.steps(), p.outputs());
        assertThat(ExecutionPlanJson.hash(other)).isNotEqualTo(ExecutionPlanJson.hash(p));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        "remat-execution-plan/1"   | "remat-execution-plan/5"  | remat-execution-plan/5
        "remat-execution-plan/1"   | "remat-execution-plan/2"  | field "sections"
        "model":                   | "modle":                  | field "model"
        "recomputed":true          | "recomputed":1            | true or false
        "seed":-5                  | "seed":-5.5               | integer
        "seed":-5                  | "seed":99999999999999999999 | 64 bits
        "arenaBytes":1099511627776 | "arenaBytes":-1           | not negative
        "role":"backward"          | "role":"sideways"         | SIDEWAYS
        "op":"exp"                 | "op":"expo"               | expo
        ["read",0]                 | ["write",0]               | write
        ["read",0]                 | ["read",-1]               | not negative
        ["f32",2,3]                | ["f33",2,3]               | f33
        ["f32",2,3]                | ["f32",2,-3]              | not negative
        ["f32",2,3]                | ["f32",4294967296,4294967296] | overflow
        "offset":256               | "offset":9223372036854775800 | range
        ["normal",0.1,             | ["normal",                | number
        model:3:7                  | model:3:0                 | count from 1
        """)
    void refusesWhatItWouldNotWrite(String written, String changed, String problem) throws IOException {
        String whole = text();
        assertThat(whole).contains(written);
        assertThatThrownBy(() -> read(whole.replace(written, changed)))
                .isInstanceOf(CorruptPlanException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void refusesEveryTruncation() throws IOException {
        String whole = text().strip();
        for (int length = 0; length < whole.length(); length += 97) {
            String part = whole.substring(0, length);
            assertThatThrownBy(() -> read(part)).as(part).isInstanceOf(CorruptPlanException.class);
        }
    }

    @Test
    void refusesWhatFollows() throws IOException {
        String whole = text();
        assertThatThrownBy(() -> read(whole + "{}")).isInstanceOf(CorruptPlanException.class);
    }
}
