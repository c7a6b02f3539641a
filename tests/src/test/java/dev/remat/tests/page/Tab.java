package dev.remat.tests.page;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A tab of a browser: opens pages, sends what a user's mouse and keys would, and reads what is there. */
public final class Tab implements AutoCloseable {
    private static final long MOST_SECONDS = 60;
    private static final long POLL_MILLIS = 20;
    /** Of keys that are named otherwise than by what they write: their codes. */
    private static final Map<String, Integer> KEY_CODES = Map.ofEntries(
            Map.entry("Tab", 9),
            Map.entry("Enter", 13),
            Map.entry("Escape", 27),
            Map.entry("PageUp", 33),
            Map.entry("PageDown", 34),
            Map.entry("End", 35),
            Map.entry("Home", 36),
            Map.entry("ArrowLeft", 37),
            Map.entry("ArrowUp", 38),
            Map.entry("ArrowRight", 39),
            Map.entry("ArrowDown", 40));

    /** Where an element is: the middle of what is seen of it, and its size. */
    public record Box(double x, double y, double width, double height) {}

    private final Listener listener;
    private final WebSocket socket;
    private final AtomicInteger last = new AtomicInteger();

    private Tab(Listener listener, WebSocket socket) {
        this.listener = listener;
        this.socket = socket;
    }

    static Tab connect(HttpClient client, URI address) {
        Listener listener = new Listener();
        Tab tab = new Tab(
                listener,
                client.newWebSocketBuilder().buildAsync(address, listener).join());
        tab.send("Runtime.enable", Map.of());
        tab.send("Log.enable", Map.of());
        tab.send("Page.enable", Map.of());
        return tab;
    }

    /** Answers and events as they come. */
    private static final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();
        private final Map<Long, CompletableFuture<Map<?, ?>>> open = new ConcurrentHashMap<>();
        private final List<String> complaints = new ArrayList<>();
        private volatile CountDownLatch loaded = new CountDownLatch(1);

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean whole) {
            text.append(data);
            if (whole) {
                take((Map<?, ?>) JsonTree.read(text.toString()));
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }

        private void take(Map<?, ?> message) {
            if (message.containsKey("id")) {
                open.remove((Long) message.get("id")).complete(message);
                return;
            }
            String method = (String) message.get("method");
            Map<?, ?> parameters = (Map<?, ?>) message.get("params");
            switch (method) {
                case "Page.loadEventFired" -> loaded.countDown();
                case "Runtime.exceptionThrown" -> complain(parameters.get("exceptionDetails"));
                case "Log.entryAdded" -> complain(parameters.get("entry"));
                case "Runtime.consoleAPICalled" -> complain(parameters.get("args"));
                default -> {}
            }
        }

        private void complain(Object what) {
            synchronized (complaints) {
                complaints.add(JsonTree.write(what));
            }
        }
    }

    /** A command of the protocol, and its result. */
    public Map<?, ?> send(String method, Map<String, ?> parameters) {
        long id = last.incrementAndGet();
        CompletableFuture<Map<?, ?>> answer = new CompletableFuture<>();
        listener.open.put(id, answer);
        socket.sendText(JsonTree.write(Map.of("id", id, "method", method, "params", parameters)), true)
                .join();
        Map<?, ?> message = answer.orTimeout(MOST_SECONDS, TimeUnit.SECONDS).join();
        if (message.containsKey("error")) {
            throw new IllegalStateException(method + ": " + message.get("error"));
        }
        return (Map<?, ?>) message.get("result");
    }

    /** Everything that the page has written to the console or thrown. */
    public List<String> complaints() {
        synchronized (listener.complaints) {
            return List.copyOf(listener.complaints);
        }
    }

    /** What the screen is like from now on, in CSS pixels. */
    public void resize(int width, int height) {
        send(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Whether the user likes dark pages. */
    public void prefer(boolean dark) {
        send(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    /** Opens a page and waits until it is loaded and drawn. */
    public void open(Path file) throws InterruptedException {
        listener.loaded = new CountDownLatch(1);
        send("Page.navigate", Map.of("url", file.toUri().toString()));
        if (!listener.loaded.await(MOST_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(file + " does not load");
        }
        settle();
    }

    /** Waits until two more frames are drawn. */
    public void settle() {
        value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
    }

    /** The value of an expression of JavaScript, of which a promise is waited for. */
    public Object value(String expression) {
        Map<?, ?> result =
                send("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
        if (result.containsKey("exceptionDetails")) {
            throw new IllegalStateException(expression + ": " + result.get("exceptionDetails"));
        }
        return ((Map<?, ?>) result.get("result")).get("value");
    }

    public String text(String selector) {
        return (String) value("document.querySelector(%s).textContent".formatted(JsonTree.write(selector)));
    }

    /** Where an element is, after it was scrolled to. */
    public Box box(String selector) {
        List<?> box = (List<?>) value("""
            (() => {
              const element = document.querySelector(%s);
              element.scrollIntoView({ block: 'center', behavior: 'instant' });
              const box = element.getBoundingClientRect();
              return [box.x + box.width / 2, box.y + box.height / 2, box.width, box.height];
            })()\
            """.formatted(JsonTree.write(selector)));
        double[] sides =
                box.stream().mapToDouble(side -> ((Number) side).doubleValue()).toArray();
        return new Box(sides[0], sides[1], sides[2], sides[3]);
    }

    public void hover(double x, double y) {
        mouse("mouseMoved", x, y, Map.of());
        settle();
    }

    public void click(double x, double y) {
        mouse("mouseMoved", x, y, Map.of());
        mouse("mousePressed", x, y, Map.of("button", "left", "clickCount", 1));
        mouse("mouseReleased", x, y, Map.of("button", "left", "clickCount", 1));
        settle();
    }

    /** Clicks the middle of an element. */
    public void click(String selector) {
        Box box = box(selector);
        click(box.x(), box.y());
    }

    public void drag(double fromX, double fromY, double toX, double toY) {
        mouse("mouseMoved", fromX, fromY, Map.of());
        mouse("mousePressed", fromX, fromY, Map.of("button", "left", "clickCount", 1));
        mouse("mouseMoved", (fromX + toX) / 2, (fromY + toY) / 2, Map.of("button", "left", "buttons", 1));
        mouse("mouseMoved", toX, toY, Map.of("button", "left", "buttons", 1));
        mouse("mouseReleased", toX, toY, Map.of("button", "left", "clickCount", 1));
        settle();
    }

    /** A wheel's turn while Ctrl is held. */
    public void zoom(double x, double y, double by) {
        mouse("mouseWheel", x, y, Map.of("deltaX", 0, "deltaY", by, "modifiers", 2));
        settle();
    }

    private void mouse(String type, double x, double y, Map<String, ?> more) {
        Map<String, Object> event = new TreeMap<>(more);
        event.put("type", type);
        event.put("x", x);
        event.put("y", y);
        send("Input.dispatchMouseEvent", event);
    }

    /** Presses a key, by its name or by what it writes. */
    public void key(String key) {
        Optional<Integer> code = Optional.ofNullable(KEY_CODES.get(key));
        Map<String, Object> event = new TreeMap<>();
        event.put("key", key);
        event.put("windowsVirtualKeyCode", code.orElse((int) Character.toUpperCase(key.charAt(0))));
        String written = key.equals("Enter") ? "\r" : code.isEmpty() ? key : "";
        if (!written.isEmpty()) {
            event.put("text", written);
        }
        event.put("type", written.isEmpty() ? "rawKeyDown" : "keyDown");
        send("Input.dispatchKeyEvent", event);
        event.remove("text");
        event.put("type", "keyUp");
        send("Input.dispatchKeyEvent", event);
        settle();
    }

    /** Writes into what has the focus, as a keyboard does. */
    public void type(String text) {
        send("Input.insertText", Map.of("text", text));
        settle();
    }

    /** Waits until an expression is true. */
    public void await(String expression) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
        while (!Boolean.TRUE.equals(value(expression))) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("never true: " + expression);
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** Writes what is seen, or all of the page, to a PNG. */
    public void screenshot(Path file, boolean whole) throws IOException {
        Map<?, ?> shot = send("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", whole));
        Files.write(file, Base64.getDecoder().decode((String) shot.get("data")));
    }

    @Override
    public void close() {
        send("Page.close", Map.of());
        socket.abort();
    }
}
