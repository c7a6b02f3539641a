package dev.remat.ir.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Unary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArtifactTest {
    @TempDir
    Path folder;

    private Path write() throws IOException {
        Path place = folder.resolve("a/built");
        ArtifactWriter.write(place, SampleArtifact.content());
        return place;
    }

    private static Map<String, String> contents(Path place) throws IOException {
        Map<String, String> contents = new LinkedHashMap<>();
        try (Stream<Path> files = Files.list(place)) {
            for (Path file : files.sorted().toList()) {
                contents.put(file.getFileName().toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return contents;
    }

    @Test
    void readsWhatItWrote() throws IOException {
        Path place = folder.resolve("built");
        Manifest written = ArtifactWriter.write(place, SampleArtifact.content());
        Artifact read = ArtifactReader.read(place);
        assertThat(read.manifest()).isEqualTo(written);
        assertThat(read.manifest().build()).isEqualTo(SampleArtifact.content().build());
        assertThat(read.manifest().kernels()).isEqualTo(SampleArtifact.kernels());
        assertThat(read.plan()).isEqualTo(SampleArtifact.plan());
        assertThat(read.devices()).isEqualTo(SampleArtifact.content().devices());
        assertThat(read.manifest().launches("sm_80")).isEqualTo(3);
    }

    @Test
    void holdsTheContractedFiles() throws IOException {
        assertThat(contents(write()))
                .containsOnlyKeys(
                        "kernels.cu",
                        "kernels.sm_80.cubin",
                        "kernels.sm_90a.cubin",
                        "launches.sm_80.json",
                        "launches.sm_90a.json",
                        "manifest.json",
                        "plan.json",
                        "step.h");
        assertThat(folder.resolve("a").toFile().list()).containsExactly("built");
    }

    /** Also where nothing is yet, in folders that are missing. */
    @Test
    void aLinkStaysAndTheArtifactLiesWhereItLeads() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("on", "disk"));
        for (int time = 0; time < 2; time++) {
            ArtifactWriter.check(link);
            ArtifactWriter.write(link, SampleArtifact.content());
            assertThat(link).isSymbolicLink();
            assertThat(ArtifactReader.read(folder.resolve("on/disk")).plan()).isEqualTo(SampleArtifact.plan());
            assertThat(folder.resolve("on").toFile().list()).containsExactly("disk");
        }
        Path circle = Files.createSymbolicLink(folder.resolve("circle"), Path.of("circle"));
        assertThatThrownBy(() -> ArtifactWriter.check(circle)).hasMessage(circle + ": is a link that leads nowhere");
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("link", "on", "circle");
    }

    @Test
    void writesTheSameBytesElsewhereAndAgain() throws IOException {
        Map<String, String> first = contents(write());
        ArtifactWriter.write(folder.resolve("other"), SampleArtifact.content());
        assertThat(contents(folder.resolve("other"))).isEqualTo(first);
        assertThat(contents(write())).isEqualTo(first);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kernels.cu",
                "kernels.sm_80.cubin",
                "kernels.sm_90a.cubin",
                "launches.sm_80.json",
                "plan.json",
                "step.h"
            })
    void aBitThatFlippedIsFound(String name) throws IOException {
        Path file = write().resolve(name);
        byte[] content = Files.readAllBytes(file);
        content[content.length / 2] ^= 4;
        Files.write(file, content);
        assertThatThrownBy(() -> ArtifactReader.read(file.getParent()))
                .isInstanceOf(CorruptArtifactException.class)
                .hasMessageContaining(name + ": its content is not what was built")
                .hasMessageContaining("remat build");
        content[content.length / 2] ^= 4;
        Files.write(file, content);
        assertThat(ArtifactReader.read(file.getParent()).plan()).isEqualTo(SampleArtifact.plan());
    }

    @Test
    void everyBitOfTheManifestCounts() throws IOException {
        Path place = write();
        Path file = place.resolve("manifest.json");
        byte[] content = Files.readAllBytes(file);
        Artifact whole = ArtifactReader.read(place);
        for (int i = 0; i < content.length; i += 7) {
            content[i] ^= 1;
            Files.write(file, content);
            content[i] ^= 1;
            Artifact read;
            try {
                read = ArtifactReader.read(place);
            } catch (CorruptArtifactException e) {
                assertThat(e).hasMessageContaining(place.toString());
                continue;
            }
            // What the manifest alone knows, such as a family's name, cannot be checked; but it is not lost.
            assertThat(read.manifest()).as("byte " + i).isNotEqualTo(whole.manifest());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        "remat-artifact/1"   | "remat-artifact/2"     | newer than this remat
        "remat-artifact/1"   | "remat-artifact/x"     | no format of an artifact
        "remat-artifact/1"   | "remat-plan/1"         | no format of an artifact
        "nvrtc":             | "more": 1, "nvrtc":    | the field "nvrtc" is expected
        "registers": 40      | "registers": -1        | not negative
        "launches": 2        | "launches": 3          | the use of add_f32_0123456789ab on sm_80
        "arenaBytes": 1024   | "arenaBytes": 1025     | arenaBytes
        "name": "plan.json"  | "name": "../plan.json" | cannot be a file of an artifact
        "name": "plan.json"  | "name": "/etc/passwd"  | cannot be a file of an artifact
        "name": "plan.json"  | "name": "step.h"       | file step.h stands there twice
        "pointer", "pointer" | "pointer", "bool"      | no kernel parameter is of type "bool"
        "pointer", "i64"     | "pointer", "u32"       | which is no u32
        "threads": 256       | "threads": 128         | blocks of 256
        "threads": 256       | "threads": 2048        | 2048 threads
        "sharedBytes": 1024  | "sharedBytes": 166913  | 166913 bytes of shared memory in a block, more than sm_80 allows
        "sm_80", "sm_90a"    | "sm_80", "sm_80"       | not distinct
        "sm_80", "sm_90a"    | "sm_80", "../a"        | no architecture
        "sm_80", "sm_90a"    | "sm_90a", "sm_80"      | is compiled for
        "sm_80", "sm_90a"    | "sm_80"                | is compiled for
        "m.model:3:7"        | 7                      | a string
        """)
    void hostileManifestsAreRefused(String written, String changed, String problem) throws IOException {
        Path manifest = write().resolve("manifest.json");
        String whole = Files.readString(manifest);
        assertThat(whole).contains(written);
        int at = whole.indexOf(written);
        Files.writeString(manifest, whole.substring(0, at) + changed + whole.substring(at + written.length()));
        assertThatThrownBy(() -> ArtifactReader.read(manifest.getParent()))
                .isInstanceOf(CorruptArtifactException.class)
                .hasMessageContaining(problem);
    }

    private Artifact readWithStep(Unary op, TensorType made) throws IOException {
        TensorType type = TensorType.of(DType.F32, 8);
        KernelStepBuilder step = new KernelStepBuilder("y", Role.FORWARD, new Location("m.model", 3, 7));
        Operand x = step.read(MemoryRead.dense(0, 0, type));
        Path place = folder.resolve("built");
        step.write(1, "y", 64, step.add(op, List.of(made), List.of(x)));
        ArtifactWriter.write(place, SampleArtifact.content(step.build()));
        return ArtifactReader.read(place);
    }

    @Test
    void otherEncodingsThanUtf8AreRefused() throws IOException {
        Path manifest = write().resolve("manifest.json");
        String whole = Files.readString(manifest);
        for (byte[] content : List.of(
                whole.getBytes(StandardCharsets.UTF_32BE),
                whole.getBytes(StandardCharsets.UTF_16LE),
                new byte[] {0, 0, 0, '{', 0x74, 0x60, 0x6d, 0x72})) {
            Files.write(manifest, content);
            assertThatThrownBy(() -> ArtifactReader.read(manifest.getParent()))
                    .isInstanceOf(CorruptArtifactException.class)
                    .hasMessageContaining("manifest.json: line 1, column");
        }
        Files.writeString(manifest, whole);
        assertThat(ArtifactReader.read(manifest.getParent()).plan()).isEqualTo(SampleArtifact.plan());
    }

    @Test
    void stepsThatCannotBeAreRefused() throws IOException {
        Unary exp = new Unary(Unary.Kind.EXP);
        assertThat(readWithStep(exp, TensorType.of(DType.F32, 8)).plan().steps())
                .hasSize(2);
        assertThatThrownBy(() -> readWithStep(exp, TensorType.of(DType.F32, 4)))
                .isInstanceOf(CorruptArtifactException.class)
                .hasMessageContaining("plan.json: step y: instruction 0");
    }

    /** A plan with an operation that there is no more, whole by all hashes. */
    @Test
    void whatAnotherRematBuiltIsRefusedAsThat() throws IOException {
        Unary exp = new Unary(Unary.Kind.EXP);
        readWithStep(exp, TensorType.of(DType.F32, 8));
        Path place = folder.resolve("built");
        byte[] plan = Files.readAllBytes(place.resolve("plan.json"));
        byte[] former = new String(plan, StandardCharsets.UTF_8)
                .replace("\"exp\"", "\"sgd_update\"")
                .getBytes(StandardCharsets.UTF_8);
        Files.write(place.resolve("plan.json"), former);
        Path manifest = place.resolve("manifest.json");
        Files.writeString(
                manifest,
                Files.readString(manifest)
                        .replace(ContentHash.of(plan), ContentHash.of(former))
                        .replace("\"bytes\": " + plan.length + ",", "\"bytes\": " + former.length + ","));
        assertThatThrownBy(() -> ArtifactReader.read(place))
                .isInstanceOf(CorruptArtifactException.class)
                .hasMessageStartingWith(
                        place.resolve("plan.json") + ": is as remat 0.1 built it, which this remat cannot read: line ")
                .hasMessageEndingWith("unknown operation sgd_update; build it again with 'remat build'");
    }

    @Test
    void aFileThatIsMissingOrLongerIsNamed() throws IOException {
        Path place = write();
        Files.writeString(place.resolve("kernels.cu"), "// Größe\n ");
        assertThatThrownBy(() -> ArtifactReader.read(place))
                .hasMessageContaining("kernels.cu: has 12 bytes instead of 11");
        Files.delete(place.resolve("kernels.cu"));
        assertThatThrownBy(() -> ArtifactReader.read(place)).hasMessageContaining("kernels.cu: is missing");
        Files.delete(place.resolve("manifest.json"));
        assertThatThrownBy(() -> ArtifactReader.read(place)).hasMessageContaining("is no artifact");
        assertThatThrownBy(() -> ArtifactReader.read(folder.resolve("none"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void anotherArchitectureIsRefusedWithTheWayOut() throws IOException {
        Artifact artifact = ArtifactReader.read(write());
        assertThat(artifact.device("sm_90a").architecture()).isEqualTo("sm_90a");
        assertThatThrownBy(() -> artifact.device("sm_89"))
                .isInstanceOf(CorruptArtifactException.class)
                .hasMessageContaining("built for sm_80, sm_90a, not for sm_89")
                .hasMessageContaining("--arch sm_89");
    }

    @Test
    void onlyArtifactsAndEmptyFoldersAreReplaced() throws IOException {
        Path place = write();
        ArtifactWriter.write(place, SampleArtifact.content());
        ArtifactWriter.write(Files.createDirectory(folder.resolve("empty")), SampleArtifact.content());

        Files.writeString(place.resolve("notes.txt"), "mine");
        assertThatThrownBy(() -> ArtifactWriter.write(place, SampleArtifact.content()))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessageContaining("notes.txt");
        assertThat(place.resolve("notes.txt")).hasContent("mine");

        Path other = Files.createDirectory(folder.resolve("extension"));
        Files.writeString(other.resolve("manifest.json"), "{\"manifest_version\": 3}");
        assertThatThrownBy(() -> ArtifactWriter.write(other, SampleArtifact.content()))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessageContaining("is not an artifact");

        Path file = Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> ArtifactWriter.write(file, SampleArtifact.content()))
                .isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void aCorruptArtifactCanBeReplaced() throws IOException {
        Path place = write();
        Files.writeString(place.resolve("manifest.json"), "{\"format\": \"remat-artifact/1\", \"rem");
        ArtifactWriter.write(place, SampleArtifact.content());
        assertThat(ArtifactReader.read(place).plan()).isEqualTo(SampleArtifact.plan());
    }

    @Test
    void aFailureLeavesWhatWasThere() throws IOException {
        Path place = write();
        Map<String, String> before = contents(place);
        assertThatThrownBy(() -> FolderReplacement.replace(place, fresh -> {
                    Files.writeString(fresh.resolve("plan.json"), "half");
                    throw new IOException("disk full");
                }))
                .hasMessage("disk full");
        assertThat(contents(place)).isEqualTo(before);
        assertThat(List.of(place.getParent().toFile().list())).containsExactly("built");
    }
}
