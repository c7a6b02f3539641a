package dev.remat.tests.samples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.training.Purpose;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers of parameters against those that are published or follow from the shapes in the paper. */
class ParameterCountTest {
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
        resnet       | layers=50                                | 25557032
        resnet       | layers=101                               | 44549160
        resnet       | layers=152                               | 60192808
        resnet-cifar | depth=164                                | 1703258
        resnet-cifar | depth=1001                               | 10327706
        vgg          | classes=1000                             | 138357544
        densenet     | layers=121                               | 7978856
        densenet     | layers=169                               | 14149480
        densenet     | layers=201                               | 20013928
        mobilenet    | classes=1000                             | 3504872
        randwire     | classes=1000                             | 5540305
        vit          | classes=1000                             | 86567656
        vit          | patch=32                                 | 88224232
        vit          | width=1024,depth=24,heads=16,hidden=4096 | 304326632
        bert         | vocab=30522                              | 109514298
        bert         | width=1024,depth=24,heads=16,hidden=4096 | 335174458
        llama        | vocab=32000,width=4096,depth=32,heads=32,kv_heads=32,hidden=11008 | 6738415616
        llama        | vocab=128256,width=4096,depth=32,heads=32,kv_heads=8,hidden=14336 | 8030261248
        llama        | vocab=32000,width=2048,depth=22,heads=32,kv_heads=4,hidden=5632 | 1100048384
        dcgan        | channels=3                               | 6342272
        ddpm         | image=32                                 | 35746307
        vae          | pixels=784                               | 652824
        gpt          | depth=12,width=768,heads=12,vocab=50257  | 124439808
        gpt          | depth=24,width=1024,heads=16,vocab=50257 | 354823168
        gpt          | depth=36,width=1280,heads=20,vocab=50257 | 774030080
        gpt          | depth=48,width=1600,heads=25,vocab=50257 | 1557611200
        """)
    void isThePublishedOne(String sample, String settings, long published) {
        assertThat(count(sample, settings)).isEqualTo(published);
    }

    @Test
    void ofTheTransformerIsTheSumOfItsParts() {
        long width = 512;
        long hidden = 2048;
        long attention = 4 * (width * width + width);
        long feedForward = width * hidden + hidden + hidden * width + width;
        long norm = 2 * width;
        long encoder = attention + feedForward + 2 * norm;
        long decoder = 2 * attention + feedForward + 3 * norm;
        long positions = 2 * 1024 * width;
        assertThat(count("transformer-encdec", "")).isEqualTo(37000 * width + positions + 6 * (encoder + decoder));
    }

    @Test
    void ofTheUNetIsTheSumOfItsConvolutions() {
        long total = 64 * 2 + 2;
        int[] levels = {1, 64, 128, 256, 512, 1024};
        for (int level = 1; level < levels.length; level++) {
            total += convolution(levels[level - 1], levels[level], 3) + convolution(levels[level], levels[level], 3);
        }
        for (int level = levels.length - 1; level > 1; level--) {
            int wide = levels[level];
            int narrow = levels[level - 1];
            total += convolution(wide, narrow, 2) + convolution(wide, narrow, 3) + convolution(narrow, narrow, 3);
        }
        assertThat(count("unet", "")).isEqualTo(total);
    }

    @Test
    void ofTheAutoencoderIsTheSumOfItsLayers() {
        long down = convolution(3, 64, 4) + 16 * 64 * 128 + 16 * 128 * 256 + 16 * 256 * 512 + 2 * (128 + 256 + 512);
        long code = 8192 * 128 + 128 + 128 * 8192 + 8192;
        long up = 16 * 512 * 256 + 16 * 256 * 128 + 16 * 128 * 64 + 2 * (256 + 128 + 64) + 16 * 64 * 3 + 3;
        assertThat(count("autoencoder", "")).isEqualTo(down + code + up);
    }

    @Test
    void ofTheLstmCountsEveryCellOnce() {
        long first = 4 * 1024 * (50 + 1024 + 2);
        long others = 3 * 4 * 1024 * (1024 + 1024 + 2);
        long head = 5000 * 1024 + 5000;
        assertThat(count("lstm", "T=2")).isEqualTo(first + others + head);
        assertThat(count("lstm", "T=5")).isEqualTo(first + others + head);
    }

    @Test
    void ofTheMlpIsTheSumOfItsLayers() {
        assertThat(count("mlp", "")).isEqualTo(784 * 1024 + 1024 + 2 * (1024 * 1024 + 1024) + 1024 * 10 + 10);
    }

    @Test
    void deepResNetsSpreadTheirBlocksEvenly() {
        List<Long> blocks =
                IntStream.range(0, 4).mapToObj(stage -> blocks(1001, stage)).toList();
        assertThat(blocks).containsExactly(83L, 83L, 83L, 84L);
        assertThat(IntStream.range(0, 4).mapToObj(stage -> blocks(152, stage)).toList())
                .containsExactly(3L, 8L, 36L, 3L);
    }

    private static long blocks(int layers, int stage) {
        Graph graph = forward("resnet", "layers=" + layers);
        return graph.inputs().stream()
                .map(input -> graph.value(input.value()).name())
                .filter(name -> name.startsWith("stage." + stage + ".") && name.contains(".spatial.conv."))
                .count();
    }

    private static long convolution(long inputs, long outputs, long kernel) {
        return inputs * outputs * kernel * kernel + outputs;
    }

    private static long count(String sample, String settings) {
        Graph graph = forward(sample, settings);
        return graph.inputs().stream()
                .filter(input -> input.kind() == InputKind.PARAMETER)
                .map(GraphInput::value)
                .mapToLong(value -> graph.type(value).elements())
                .sum();
    }

    private static Graph forward(String sample, String settings) {
        return SampleModels.of(sample).elaborate(settings, Purpose.TRAIN).forward();
    }
}
