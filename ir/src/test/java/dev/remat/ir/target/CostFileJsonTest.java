package dev.remat.ir.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostFileJsonTest {
    private static final String DEVICE = """
        {"format": "remat-device/1", "name": "toy", "launchNanos": 5, "bytesPerSecond": 1e11,
         "flopsPerSecond": {"f32": 1e12, "bf16": 2e12}}
        """;
    private static final String PROFILE = """
        {"format":"remat-profile/1","target":"cpu","device":{"name":"toy","flopsPerSecond":{"f32":1.0E12},\
        "bytesPerSecond":1.0E11,"launchNanos":0.0},"kernels":[
        {"key":"exp(@0)","family":"elementwise","dtype":"f32","flops":1,"bytes":2,"count":3,"nanos":4}
        ,{"key":"neg(@0)","family":"elementwise","dtype":"bf16","flops":5,"bytes":6,"count":7,"nanos":8}]}
        """;

    private static CostFile read(String text) {
        return CostFileJson.read(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void readsADeviceWhateverTheOrderOfItsFields() {
        DeviceSpec device = read(DEVICE).device();
        assertThat(device.name()).isEqualTo("toy");
        assertThat(device.flopsPerSecond(DType.BF16)).isEqualTo(2e12);
        assertThat(device.flopsPerSecond(DType.F64)).isEqualTo(1e12);
        assertThat(device.launchNanos()).isEqualTo(5);
        assertThat(read(new String(CostFileJson.write(new CostFile.Device(device)), StandardCharsets.UTF_8)))
                .isEqualTo(new CostFile.Device(device));
    }

    @Test
    void writesProfilesByKeyAndReadsThemBack() {
        DeviceSpec device = new DeviceSpec("toy", read(PROFILE).device().flopsPerSecond(), 1e11, 0);
        KernelProfile profile = new KernelProfile(
                "cpu",
                device,
                List.of(
                        new KernelTime("neg(@0)", "elementwise", DType.BF16, 5, 6, 7, 8),
                        new KernelTime("exp(@0)", "elementwise", DType.F32, 1, 2, 3, 4)));
        assertThat(new String(CostFileJson.write(new CostFile.Profile(profile)), StandardCharsets.UTF_8))
                .isEqualTo(PROFILE);
        assertThat(read(PROFILE)).isEqualTo(new CostFile.Profile(profile));
    }

    @Test
    void profilesMaySayWhatJoinsRanks() {
        CostFile.Profile alone = (CostFile.Profile) read(PROFILE);
        String linked = PROFILE.replace(
                "remat-profile/1\"", "remat-profile/2\",\"link\":{\"bytesPerSecond\":125,\"latencyNanos\":7}");
        CostFile.Profile joined = new CostFile.Profile(alone.profile(), Optional.of(new Link(125, 7)));
        assertThat(read(linked)).isEqualTo(joined);
        assertThat(new String(CostFileJson.write(joined), StandardCharsets.UTF_8))
                .isEqualTo(linked);
        String beside = linked.replace("7}", "7,\"interferenceNanosPerMegabyte\":9}");
        CostFile.Profile losing = new CostFile.Profile(alone.profile(), Optional.of(new Link(125, 7, 9)));
        assertThat(read(beside)).isEqualTo(losing);
        assertThat(new String(CostFileJson.write(losing), StandardCharsets.UTF_8))
                .isEqualTo(beside);
        assertThat(alone.link()).isEmpty();
        assertThatThrownBy(() -> read(linked.replace("125", "0"))).isInstanceOf(CorruptCostsException.class);
        assertThatThrownBy(() -> read(linked.replace("profile/2", "profile/1")))
                .isInstanceOf(CorruptCostsException.class);
    }

    @Test
    void predictionsSayWhatPredictedThem() {
        KernelProfile measured = ((CostFile.Profile) read(PROFILE)).profile();
        KernelProfile predicted =
                new KernelProfile(measured.target(), measured.device(), Optional.of("sass:sm_90a"), measured.kernels());
        String text = new String(CostFileJson.write(new CostFile.Profile(predicted)), StandardCharsets.UTF_8);
        assertThat(text)
                .isEqualTo(PROFILE.replace("remat-profile/1\"", "remat-prediction/1\",\"predictor\":\"sass:sm_90a\""));
        assertThat(read(text)).isEqualTo(new CostFile.Profile(predicted));
        assertThat(new ProfileCost("f.json", predicted).isMeasured()).isFalse();
        assertThat(new ProfileCost("f.json", predicted).name()).isEqualTo("sass:sm_90a:f.json");
        assertThat(new ProfileCost("f.json", measured).isMeasured()).isTrue();
        assertThat(new ProfileCost("f.json", measured).name()).isEqualTo("profile:f.json");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"nanos\":4 | \"nanos\":-4 | line 2, column 93: a number that is not negative is expected",
                "\"nanos\":4 | \"nanos\":4.5 | an integer is expected",
                "\"count\":3 | \"count\":0 | ran at least once",
                "\"count\":3, | `` | the field \"count\" is expected",
                "neg(@0) | exp(@0) | a second time for the kernel \"exp(@0)\"",
                "\"nanos\":8 | \"nanos\":8,\"seconds\":1 | the end of an object is expected",
                "\"nanos\":8 | \"nanos\":8,\"nanos\":8 | the field \"nanos\" is there twice",
                "\"bf16\" | \"bf17\" | unknown dtype bf17",
                "remat-profile/1\" | remat-prediction/1\" | the field \"predictor\" is expected",
                "remat-profile/1 | remat-profile/3 | the format is remat-profile/3, this remat reads remat-profile/1",
                "{\"f32\":1.0E12} | {\"f16\":1.0E12} | the rate of f32 is missing",
                "1.0E11 | -1 | the memory bandwidth must be a positive number",
                "\"launchNanos\":0.0 | \"launchNanos\":-1 | must not be negative",
                "\"bytesPerSecond\":1.0E11, | `` | the field \"bytesPerSecond\" is missing",
                "\"launchNanos\" | \"launch\" | unknown field \"launch\"; fields here are name, flopsPerSecond",
                "]} | ] | the file ends too early",
                "]} | ]} 7 | the end of the file is expected"
            })
    void refusesWhatIsNotOfTheFormat(String from, String to, String problem) {
        String broken = PROFILE.replace(from, to);
        assertThat(broken).isNotEqualTo(PROFILE);
        assertThatThrownBy(() -> read(broken))
                .isInstanceOf(CorruptCostsException.class)
                .hasMessageContaining(problem);
    }
}
