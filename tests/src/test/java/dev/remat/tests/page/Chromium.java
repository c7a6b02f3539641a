package dev.remat.tests.page;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A Chromium without windows, driven through its DevTools protocol. */
public final class Chromium implements AutoCloseable {
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final Pattern SOCKET = Pattern.compile("\"webSocketDebuggerUrl\"\\s*:\\s*\"([^\"]*)\"");
    private static final long START_SECONDS = 60;
    private static final long POLL_MILLIS = 50;

    private final Process process;
    private final String address;
    private final HttpClient client = HttpClient.newHttpClient();

    private Chromium(Process process, String address) {
        this.process = process;
        this.address = address;
    }

    /** Where it is installed; empty where it is not. */
    public static Optional<Path> installed() {
        return Stream.of(System.getenv("PATH").split(":"))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Starts it.
     *
     * @param profile an empty folder of its own
     */
    public static Chromium start(Path program, Path profile) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        program.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--disable-dev-shm-usage",
                        "--hide-scrollbars",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.to(
                        profile.resolveSibling("chromium.log").toFile()))
                .start();
        Path told = profile.resolve("DevToolsActivePort");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        List<String> lines = List.of();
        while (lines.size() < 2 && process.isAlive() && System.nanoTime() < end) {
            Thread.sleep(POLL_MILLIS);
            lines = Files.exists(told) ? Files.readAllLines(told) : lines;
        }
        if (lines.size() < 2) {
            process.destroyForcibly();
            throw new IOException("Chromium does not start: " + profile.resolveSibling("chromium.log"));
        }
        return new Chromium(process, "http://127.0.0.1:" + lines.getFirst());
    }

    /** An empty tab. */
    public Tab open() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/json/new?about:blank"))
                .PUT(HttpRequest.BodyPublishers.noBody())
                .build();
        Matcher socket = SOCKET.matcher(
                client.send(request, HttpResponse.BodyHandlers.ofString()).body());
        if (!socket.find()) {
            throw new IOException("Chromium opens no tab");
        }
        return Tab.connect(client, URI.create(socket.group(1)));
    }

    @Override
    public void close() {
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        all.forEach(ProcessHandle::destroy);
        all.forEach(each -> {
            try {
                each.onExit().get(5, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
                each.destroyForcibly();
            }
        });
        client.close();
    }
}
