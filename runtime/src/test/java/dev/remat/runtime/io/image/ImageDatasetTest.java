package dev.remat.runtime.io.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.remat.ir.DType;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.io.Dataset.Share;
import dev.remat.runtime.io.IndexRange;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.Samples;
import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageDatasetTest {
    private static final InputSpec COLOUR = pictures(1, 3);
    private static final InputSpec GREY = pictures(1, 1);
    private static final InputSpec LABELS = new InputSpec("labels", DType.I64, List.of(1L), IndexRange.below(3));

    @TempDir
    Path folder;

    private static InputSpec pictures(long batch, long channels) {
        return new InputSpec("images", DType.F32, List.of(batch, channels, 2L, 3L));
    }

    /** Two rows of three pixels. */
    private static BufferedImage image(int type, int... argb) {
        BufferedImage image = new BufferedImage(3, 2, type);
        for (int i = 0; i < 6; i++) {
            image.setRGB(i % 3, i / 3, argb[i % argb.length]);
        }
        return image;
    }

    private static BufferedImage grey(int type, int... samples) {
        BufferedImage image = new BufferedImage(3, 2, type);
        for (int i = 0; i < 6; i++) {
            image.getRaster().setSample(i % 3, i / 3, 0, samples[i % samples.length]);
        }
        return image;
    }

    private Path write(String name, BufferedImage image) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        String format = name.substring(name.lastIndexOf('.') + 1);
        assertThat(ImageIO.write(image, format, file.toFile())).isTrue();
        return file;
    }

    /** As many grey images as said; the first is 0, the next 1 and so on. */
    private void classOf(String name, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            write("%s/%02d.png".formatted(name, i), grey(BufferedImage.TYPE_BYTE_GRAY, i));
        }
    }

    private ImageDataset open() throws IOException {
        return ImageDataset.open(folder, ImageTransform.NONE);
    }

    private static float[] floats(Samples samples, long sample, InputSpec input) {
        MemorySegment target = Arena.ofAuto().allocate(input.elements() * 4, 4);
        samples.copy(sample, input, target, 0);
        return target.toArray(ValueLayout.JAVA_FLOAT);
    }

    private float[] only(InputSpec input, ImageTransform transform) throws IOException {
        return floats(ImageDataset.open(folder, transform).samples(List.of(input), Share.ALL), 0, input);
    }

    /** Class and grey value of every sample of a share, such as {@code 1:7}. */
    private static List<String> listed(Samples samples) {
        List<String> listed = new ArrayList<>();
        for (long sample = 0; sample < samples.count(); sample++) {
            MemorySegment label = Arena.ofAuto().allocate(8, 8);
            samples.copy(sample, LABELS, label, 0);
            listed.add(label.get(ValueLayout.JAVA_LONG, 0) + ":" + Math.round(255 * floats(samples, sample, GREY)[0]));
        }
        return listed;
    }

    @Test
    void coloursArePlanes() throws IOException {
        write("c/a.png", image(BufferedImage.TYPE_INT_RGB, 0xff0000, 0x00ff00, 0x000033));
        assertThat(only(COLOUR, ImageTransform.NONE))
                .containsExactly(1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0.2f, 0, 0, 0.2f);
        assertThat(only(GREY, ImageTransform.NONE))
                .containsExactly(0.299f, 0.587f, 0.2f * 0.114f, 0.299f, 0.587f, 0.2f * 0.114f);
    }

    @Test
    void greyIsAsStored() throws IOException {
        write("c/a.png", grey(BufferedImage.TYPE_BYTE_GRAY, 0, 51, 102, 153, 204, 255));
        assertThat(only(GREY, ImageTransform.NONE)).containsExactly(0, 0.2f, 0.4f, 0.6f, 0.8f, 1);
        assertThat(Arrays.copyOfRange(only(COLOUR, ImageTransform.NONE), 12, 18))
                .containsExactly(0, 0.2f, 0.4f, 0.6f, 0.8f, 1);
        write("c/a.png", grey(BufferedImage.TYPE_USHORT_GRAY, 0, 13107, 65535));
        assertThat(only(GREY, ImageTransform.NONE)).containsExactly(0, 0.2f, 1, 0, 0.2f, 1);
    }

    @Test
    void transparencyIsIgnoredAndPalettesAreLookedUp() throws IOException {
        write("c/a.png", image(BufferedImage.TYPE_INT_ARGB, 0x01336699));
        assertThat(only(COLOUR, ImageTransform.NONE)).startsWith(0.2f).endsWith(0.6f);
        Files.delete(folder.resolve("c/a.png"));
        for (int bits : List.of(1, 8)) {
            byte[] levels = new byte[1 << bits];
            levels[0] = 51;
            levels[1] = (byte) 255;
            BufferedImage palette = new BufferedImage(
                    3,
                    2,
                    bits == 1 ? BufferedImage.TYPE_BYTE_BINARY : BufferedImage.TYPE_BYTE_INDEXED,
                    new IndexColorModel(bits, levels.length, levels, levels, new byte[levels.length]));
            palette.getRaster().setSample(1, 1, 0, 1);
            for (String format : List.of("png", "bmp")) {
                Path file = write("c/a." + format, palette);
                assertThat(only(COLOUR, ImageTransform.NONE))
                        .as(format + bits)
                        .startsWith(0.2f, 0.2f, 0.2f, 0.2f, 1, 0.2f)
                        .endsWith(0, 0, 0);
                Files.delete(file);
            }
        }
    }

    @Test
    void gifsHaveTheirFirstFrame() throws IOException {
        InputSpec eight = new InputSpec("images", DType.F32, List.of(1L, 1L, 8L, 8L));
        BufferedImage image = new BufferedImage(8, 8, BufferedImage.TYPE_BYTE_INDEXED);
        float[] expected = new float[64];
        for (int i = 0; i < 64; i++) {
            image.setRGB(i % 8, i / 8, i % 3 == 0 ? 0xffffff : 0x333333);
            expected[i] = i % 3 == 0 ? 1 : 0.2f;
        }
        write("c/a.gif", image);
        assertThat(only(eight, ImageTransform.NONE)).containsExactly(expected);
    }

    @Test
    void jpegIsReadUnderAnyName() throws IOException {
        Path jpeg = write("c/a.jpg", image(BufferedImage.TYPE_INT_RGB, 0x336699));
        Files.move(jpeg, folder.resolve("c/A.PNG"));
        float[] found = only(COLOUR, ImageTransform.NONE);
        assertThat(found[0]).isCloseTo(0.2f, within(0.02f));
        assertThat(found[6]).isCloseTo(0.4f, within(0.02f));
        assertThat(found[12]).isCloseTo(0.6f, within(0.02f));
    }

    @Test
    void channelsAreNormalized() throws IOException {
        write("c/a.png", image(BufferedImage.TYPE_INT_RGB, 0x336699));
        float[] each = only(COLOUR, new ImageTransform(false, List.of(0.1, 0.2, 0.3), List.of(0.5, 0.25, 2.0)));
        assertThat(each[0]).isCloseTo(0.2f, within(1e-6f));
        assertThat(each[6]).isCloseTo(0.8f, within(1e-6f));
        assertThat(each[12]).isCloseTo(0.15f, within(1e-6f));
        assertThat(only(COLOUR, new ImageTransform(false, List.of(0.4), List.of()))[12])
                .isCloseTo(0.2f, within(1e-6f));
        assertThatThrownBy(() -> only(GREY, new ImageTransform(false, List.of(), List.of(1.0, 1.0, 1.0))))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("3 standard deviations")
                .hasMessageContaining("1 channel");
        assertThatThrownBy(() -> new ImageTransform(false, List.of(), List.of(0.0)))
                .hasMessageContaining("above 0");
    }

    @Test
    void classesAreLabelsInTheOrderOfTheirNames() throws IOException {
        classOf("b", 2);
        classOf("a", 1);
        write("c/deep/er.png", grey(BufferedImage.TYPE_BYTE_GRAY, 9));
        write(".hidden/0.png", grey(BufferedImage.TYPE_BYTE_GRAY, 1));
        write("c/.hidden/0.png", grey(BufferedImage.TYPE_BYTE_GRAY, 1));
        Files.writeString(folder.resolve("notes.txt"), "-");
        Files.writeString(folder.resolve("b/notes.txt"), "-");
        try (ImageDataset data = open()) {
            assertThat(listed(data.samples(List.of(GREY, LABELS), Share.ALL)))
                    .containsExactly("0:0", "1:0", "1:1", "2:9");
            assertThat(data.unread(List.of(GREY, LABELS))).containsExactly("b/notes.txt", "notes.txt");
            assertThat(data.unread(List.of(GREY))).containsExactly("b/notes.txt", "notes.txt", "labels");
        }
    }

    @Test
    void everyClassOfTwoIsHeldBackInPart() throws IOException {
        classOf("a", 20);
        classOf("b", 1);
        classOf("c", 3);
        try (ImageDataset data = open()) {
            List<InputSpec> inputs = List.of(GREY, LABELS);
            List<String> held = listed(data.samples(inputs, Share.HELD_BACK));
            assertThat(held).containsExactly("0:18", "2:2", "0:19");
            List<String> training = listed(data.samples(inputs, Share.TRAINING));
            assertThat(training).hasSize(21).doesNotContainAnyElementsOf(held).contains("0:17", "1:0", "2:1");
        }
    }

    @Test
    void anEpochTakesEveryImageOnce() throws IOException {
        classOf("a", 30);
        try (ImageDataset data = open()) {
            List<Integer> first = epoch(data, 1, 0);
            assertThat(first).hasSize(27).doesNotHaveDuplicates().allMatch(value -> value < 27);
            assertThat(epoch(data, 1, 0)).isEqualTo(first);
            assertThat(epoch(data, 1, 1)).isNotEqualTo(first).containsExactlyInAnyOrderElementsOf(first);
            assertThat(epoch(data, 2, 0)).isNotEqualTo(first);
        }
    }

    private static List<Integer> epoch(Dataset data, long seed, int epoch) {
        InputSpec three = pictures(3, 1);
        BatchSource batches = data.training(List.of(three), seed);
        List<Integer> found = new ArrayList<>();
        MemorySegment target = Arena.ofAuto().allocate(three.elements() * 4, 4);
        for (long batch = 0; batch < 9; batch++) {
            batches.fill(9L * epoch + batch, three, target);
            for (int image = 0; image < 3; image++) {
                found.add(Math.round(255 * target.getAtIndex(ValueLayout.JAVA_FLOAT, 6L * image)));
            }
        }
        return found;
    }

    @Test
    void sizesMustAgreeUnlessTheyAreFitted() throws IOException {
        classOf("a", 2);
        write("b/large.png", new BufferedImage(6, 5, BufferedImage.TYPE_BYTE_GRAY));
        try (ImageDataset data = open()) {
            assertThatThrownBy(() -> data.samples(List.of(GREY, LABELS), Share.ALL))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("large.png is 5 x 6 pixels")
                    .hasMessageContaining("takes 2 x 3; --resize");
        }
        try (ImageDataset data = ImageDataset.open(folder, new ImageTransform(true, List.of(), List.of()))) {
            assertThat(listed(data.samples(List.of(GREY, LABELS), Share.ALL))).containsExactly("0:0", "0:1", "1:0");
        }
    }

    @Test
    void damageNamesItsFile() throws IOException {
        BufferedImage noise = new BufferedImage(64, 64, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < 64 * 64; i++) {
            noise.setRGB(i % 64, i / 64, (int) (i * 0x9e3779b97f4a7c15L >>> 40));
        }
        ImageTransform resizing = new ImageTransform(true, List.of(), List.of());
        for (String name : List.of("c/a.png", "c/a.jpg", "c/a.gif", "c/a.bmp")) {
            Path file = write(name, noise);
            assertThat(only(COLOUR, resizing)).hasSize(18);
            byte[] bytes = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
            assertThatThrownBy(() -> only(COLOUR, resizing))
                    .as(name)
                    .isInstanceOfSatisfying(
                            CorruptFileException.class,
                            e -> assertThat(e.file()).isEqualTo(file));
            Files.delete(file);
        }
        Files.write(folder.resolve("c/zeros.png"), new byte[100]);
        assertThatThrownBy(() -> only(COLOUR, ImageTransform.NONE))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("zeros.png: is no PNG, JPEG, GIF or BMP image");
    }

    @Test
    void foldersWithoutImagesAreRefused() throws IOException {
        assertThatThrownBy(this::open).hasMessageContaining("neither arrays").hasMessageContaining("every class");
        classOf("a", 1);
        Files.createDirectory(folder.resolve("b"));
        assertThatThrownBy(this::open).isInstanceOf(DataException.class).hasMessageContaining("has no images");
        Files.delete(folder.resolve("b"));
        try (ImageDataset data = open()) {
            assertThatThrownBy(() -> data.samples(List.of(GREY), Share.HELD_BACK))
                    .hasMessageContaining("too few to hold any back");
        }
    }

    @Test
    void inputsMustBeForImages() throws IOException {
        for (String name : List.of("a", "b", "c")) {
            classOf(name, 1);
        }
        refused("nothing for the input x: f32[1, 3]", GREY, new InputSpec("x", DType.F32, List.of(1L, 3L)));
        refused("the model has none", LABELS);
        refused("and the model has [", GREY, COLOUR);
        refused("integers [B], and the model has several", GREY, LABELS, new InputSpec("m", DType.I32, List.of(1L)));
        refused("have 1 channel or 3, and the input images: f32[1, 4, 2, 3] has 4", pictures(1, 4));
        refused("3 classes", GREY, new InputSpec("labels", DType.I64, List.of(1L), IndexRange.below(2)));
        try (ImageDataset data = open()) {
            assertThat(data.samples(List.of(GREY, LABELS), Share.ALL).count()).isEqualTo(3);
        }
    }

    private void refused(String message, InputSpec... inputs) throws IOException {
        try (ImageDataset data = open()) {
            assertThatThrownBy(() -> data.samples(List.of(inputs), Share.ALL))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining(message);
        }
    }

    @Test
    void identityIsThatOfTheContent() throws IOException {
        classOf("a", 2);
        String before = open().identity().toString();
        assertThat(open().identity()).hasToString(before).containsEntry("images", "2");
        ImageTransform shifted = new ImageTransform(true, List.of(0.5), List.of());
        assertThat(ImageDataset.open(folder, shifted).identity())
                .containsEntry("mean", "0.5")
                .containsEntry("resize", "bilinear");
        Path second = folder.resolve("a/01.png");
        byte[] content = Files.readAllBytes(second);
        write("a/01.png", grey(BufferedImage.TYPE_BYTE_GRAY, 7));
        assertThat(open().identity().toString()).isNotEqualTo(before);
        Files.write(second, content);
        assertThat(open().identity()).hasToString(before);
        Files.move(second, folder.resolve("a/02.png"));
        assertThat(open().identity().toString()).isNotEqualTo(before);
    }
}
