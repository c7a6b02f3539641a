package com.example;

import dev.remat.Feed;
import dev.remat.Model;
import dev.remat.Plan;
import dev.remat.Training;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;

/** Trains a network to tell waves of ten lengths apart in noise. */
public final class TrainMlp {
    private static final int SAMPLES = 2000;
    private static final int FEATURES = 64;
    private static final int CLASSES = 10;

    public static void main(String[] args) throws IOException {
        Random random = new Random(1);
        float[] images = new float[SAMPLES * FEATURES];
        int[] labels = new int[SAMPLES];
        for (int i = 0; i < images.length; i++) {
            int sample = i / FEATURES;
            labels[sample] = sample % CLASSES;
            double wave = Math.sin(i % FEATURES * (labels[sample] + 1) * Math.PI / FEATURES);
            images[i] = (float) ((wave + random.nextGaussian()) / 4);
        }
        Feed feed = Feed.shuffled(SAMPLES, Map.of("images", images, "labels", labels), 1);
        Model model = Model.open(Path.of(args[0]))
                .with("B", 50)
                .with("features", FEATURES)
                .with("width", 128);
        Plan plan = model.withStrategy("sqrt").plan();
        System.out.printf(
                "%d bytes, %.1f %% of the time computes again%n", plan.arenaBytes(), 100 * plan.recomputedShare());
        try (Training training = plan.train(feed)) {
            training.run(100, step -> {
                if (step.number() % 10 == 0) {
                    System.out.printf("step %3d  loss %.4f%n", step.number(), step.loss());
                }
            });
            System.out.println(
                    "first weight " + training.tensors().get("head.weight").toFloats()[0]);
        }
    }
}
