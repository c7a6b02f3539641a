import dev.remat.tests.page.Chromium;
import dev.remat.tests.page.Tab;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How soon a page of {@code plan --html} is painted, and how many frames a second it draws while it is zoomed and moved,
 * by the browser's own clock: {@code PAGE}. Ends with 1 where painting takes more than 2 s or frames come slower than
 * 30 a second.
 */
final class PageSpeed {
    private static final double MOST_SECONDS = 2;
    private static final double LEAST_FRAMES = 30;
    private static final int EVENTS = 90;
    private static final String RECORD = """
        window.times = [];
        (function frame(now) { window.times.push(now); requestAnimationFrame(frame); })(performance.now());
        0\
        """;
    /** Frames a second, the longest frame, and the one that a twentieth is longer than, in milliseconds. */
    private static final String RESULT = """
        (() => {
          const gaps = window.times.slice(1).map((time, i) => time - window.times[i]).sort((a, b) => a - b);
          window.times = [];
          return [1000 * gaps.length / gaps.reduce((sum, gap) => sum + gap, 0), gaps.at(-1),
            gaps[Math.floor(0.95 * gaps.length)]].map((value) => value + 1e-9);
        })()\
        """;

    private PageSpeed() {}

    public static void main(String[] args) throws Exception {
        Path page = Path.of(args[0]).toAbsolutePath();
        Path folder = Files.createTempDirectory("page-speed");
        boolean fast = true;
        try (Chromium chromium = Chromium.start(
                        Chromium.installed().orElseThrow(), Files.createDirectory(folder.resolve("profile")));
                Tab tab = chromium.open()) {
            tab.resize(1280, 900);
            tab.open(page);
            tab.await("document.querySelector('canvas[role=slider]') !== null");
            tab.settle();
            double seconds = ((Number) tab.value("performance.now() + 1e-9")).doubleValue() / 1000;
            System.out.printf(Locale.ROOT, "painted after %.2f s%n", seconds);
            fast &= seconds <= MOST_SECONDS;
            tab.value(RECORD);
            for (String chart : List.of("Memory over the step", "The arena: addresses over the step")) {
                Tab.Box box = tab.box("canvas[aria-label='" + chart + "']");
                tab.value("window.times = []; 0");
                for (int i = 0; i < EVENTS; i++) {
                    wheel(tab, box, i % 30 < 15 ? -60 : 60);
                }
                fast &= report(tab, chart + ", zoomed");
                wheel(tab, box, -600);
                tab.value("window.times = []; 0");
                mouse(tab, "mousePressed", box.x(), box.y(), 1);
                for (int i = 0; i < EVENTS; i++) {
                    mouse(tab, "mouseMoved", box.x() + 200 * Math.sin(i / 8.0), box.y(), 1);
                }
                mouse(tab, "mouseReleased", box.x(), box.y(), 0);
                fast &= report(tab, chart + ", moved");
            }
        }
        System.exit(fast ? 0 : 1);
    }

    private static boolean report(Tab tab, String what) {
        List<?> result = (List<?>) tab.value(RESULT);
        double frames = ((Number) result.get(0)).doubleValue();
        System.out.printf(
                Locale.ROOT,
                "%s: %.1f frames a second; 95 %% of frames within %.1f ms, all within %.1f ms%n",
                what,
                frames,
                ((Number) result.get(2)).doubleValue(),
                ((Number) result.get(1)).doubleValue());
        return frames >= LEAST_FRAMES;
    }

    private static void wheel(Tab tab, Tab.Box box, int by) {
        tab.send(
                "Input.dispatchMouseEvent",
                Map.of("type", "mouseWheel", "x", box.x(), "y", box.y(), "deltaX", 0, "deltaY", by, "modifiers", 2));
    }

    private static void mouse(Tab tab, String type, double x, double y, int buttons) {
        tab.send(
                "Input.dispatchMouseEvent",
                Map.of("type", type, "x", x, "y", y, "button", "left", "buttons", buttons, "clickCount", 1));
    }
}
