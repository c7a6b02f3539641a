package dev.remat.tests.fuzz;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;

/** Folders of images, some of which are none or of another size, with options that may not suit them. */
final class FuzzImages implements FuzzKind {
    private static final String MODEL = """
        remat 1
        model Images {
          input images: f32[2, 3, 4, 4]
          input labels: i32[2]
          loss = cross_entropy(linear(global_avg_pool(images), 2) as head, labels)
        }
        train { minimize loss; optimizer sgd(lr = 0.1) }
        """;

    private static final List<String> KINDS = List.of("png", "jpg", "gif", "bmp");
    private static final List<String> NUMBERS =
            List.of("0.5", "0", "1e-30", "0.4,0.5,0.6", "0.1,0.2", "-1", "NaN", "1e400", "", ",");
    private static final List<String> PLACES =
            List.of("a/2.png", "b/.hidden.png", "c/1.png", "a/deep/3.png", "4.png", "a/notes.txt", "a/5.PNG");

    private static byte[] image(String kind, int size, SplittableRandom random) {
        BufferedImage image = new BufferedImage(size, size, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < size * size; i++) {
            image.setRGB(i % size, i / size, random.nextInt(1 << 24));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            ImageIO.write(image, kind, out);
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory cannot fail", e);
        }
        return out.toByteArray();
    }

    @Override
    public FuzzInput make(SplittableRandom random) {
        List<String> words = new ArrayList<>(List.of("train", "@/m.model", "--data", "@/images", "--steps", "2"));
        if (Mutation.once(2, random)) {
            words.add("--resize");
        }
        for (String option : List.of("--mean", "--std")) {
            if (Mutation.once(4, random)) {
                words.addAll(List.of(option, Mutation.pick(NUMBERS, random)));
            }
        }
        String kind = Mutation.pick(KINDS, random);
        byte[] changed = Mutation.bytes(image(kind, 4, random), random);
        FuzzInput input = FuzzInput.of(words.toArray(String[]::new))
                .file("m.model", MODEL.getBytes(StandardCharsets.UTF_8))
                .file("images/a/1." + kind, Mutation.once(4, random) ? image(kind, 5, random) : changed)
                .file("images/b/1.png", image("png", 4, random));
        return Mutation.once(2, random)
                ? input.file(
                        "images/" + Mutation.pick(PLACES, random), Mutation.once(2, random) ? changed : new byte[0])
                : input;
    }
}
