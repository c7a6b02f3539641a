package dev.remat.compiler.layout;

import dev.remat.ir.plan.BufferLifetime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Buffers that fill all of some time and memory, cut out of a rectangle so that its height is known to be possible. */
final class TightInstances {
    private record Rectangle(int left, int right, int bottom, int top) {
        int width() {
            return right - left;
        }

        int height() {
            return top - bottom;
        }

        boolean large() {
            return width() > 8 && height() > 8;
        }
    }

    private final Random random;
    private final List<Rectangle> rectangles = new ArrayList<>();

    private TightInstances(long seed) {
        random = new Random(seed);
    }

    /**
     * Cuts until there are {@code count} buffers or more, in no order.
     *
     * @param pinwheels share of the cuts that make five buffers of one, which no straight cuts could
     */
    static List<BufferLifetime> cut(long seed, int count, int time, int height, double pinwheels) {
        TightInstances instance = new TightInstances(seed);
        instance.rectangles.add(new Rectangle(0, time, 0, height));
        while (instance.rectangles.size() < count) {
            instance.cutOne(time, height, pinwheels);
        }
        Collections.shuffle(instance.rectangles, instance.random);
        List<BufferLifetime> buffers = new ArrayList<>();
        for (Rectangle r : instance.rectangles) {
            buffers.add(new BufferLifetime("b" + buffers.size(), r.left, r.right, r.height(), 1));
        }
        return buffers;
    }

    /**
     * Memory that is full at every step: now and then two buffers give way to others of the same sum. Whether that can
     * be laid out within {@code height} is not known.
     */
    static List<BufferLifetime> churn(long seed, int count, int height) {
        Random random = new Random(seed);
        List<BufferLifetime> buffers = new ArrayList<>();
        List<int[]> live = new ArrayList<>();
        int free = height;
        for (int step = 0; buffers.size() + live.size() < count; step++) {
            for (int dying = 0; dying < 2 && !live.isEmpty(); dying++) {
                int[] gone = live.remove(random.nextInt(live.size()));
                free += gone[1];
                buffers.add(new BufferLifetime("b" + buffers.size(), gone[0], step, gone[1], 1));
            }
            while (free > 0) {
                int size = 1 + random.nextInt(free);
                live.add(new int[] {step, size});
                free -= size;
            }
        }
        int end = buffers.stream().mapToInt(BufferLifetime::upper).max().orElse(0) + 1;
        for (int[] last : live) {
            buffers.add(new BufferLifetime("b" + buffers.size(), last[0], Math.max(end, last[0] + 1), last[1], 1));
        }
        return buffers;
    }

    private void cutOne(int time, int height, double pinwheels) {
        Rectangle chosen = rectangles.getFirst();
        int at = 0;
        for (int draw = 0; draw < 3; draw++) {
            int i = random.nextInt(rectangles.size());
            Rectangle r = rectangles.get(i);
            boolean larger = (long) r.width() * r.height() > (long) chosen.width() * chosen.height();
            at = draw == 0 || larger ? i : at;
            chosen = rectangles.get(at);
        }
        double wide = (double) chosen.width() / time;
        double high = (double) chosen.height() / height;
        if (chosen.large() && random.nextDouble() < pinwheels) {
            pinwheel(at, chosen);
        } else if (chosen.width() > 1 && random.nextDouble() * (wide + high) < wide) {
            int x = chosen.left + 1 + random.nextInt(chosen.width() - 1);
            rectangles.set(at, new Rectangle(chosen.left, x, chosen.bottom, chosen.top));
            rectangles.add(new Rectangle(x, chosen.right, chosen.bottom, chosen.top));
        } else if (chosen.height() > 1) {
            int y = chosen.bottom + 1 + random.nextInt(chosen.height() - 1);
            rectangles.set(at, new Rectangle(chosen.left, chosen.right, chosen.bottom, y));
            rectangles.add(new Rectangle(chosen.left, chosen.right, y, chosen.top));
        }
    }

    private void pinwheel(int at, Rectangle r) {
        int x1 = r.left + 1 + random.nextInt(r.width() / 2 - 1);
        int x2 = x1 + 1 + random.nextInt(r.right - x1 - 1);
        int y1 = r.bottom + 1 + random.nextInt(r.height() / 2 - 1);
        int y2 = y1 + 1 + random.nextInt(r.top - y1 - 1);
        rectangles.set(at, new Rectangle(r.left, x2, r.bottom, y1));
        rectangles.add(new Rectangle(x2, r.right, r.bottom, y2));
        rectangles.add(new Rectangle(x1, r.right, y2, r.top));
        rectangles.add(new Rectangle(r.left, x1, y1, r.top));
        rectangles.add(new Rectangle(x1, x2, y1, y2));
    }
}
