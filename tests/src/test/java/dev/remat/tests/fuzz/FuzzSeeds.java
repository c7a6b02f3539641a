package dev.remat.tests.fuzz;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import dev.remat.tests.samples.SampleModel;
import dev.remat.tests.samples.SampleModels;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Sound inputs, which are then changed: small models, and files as remat itself writes them. */
final class FuzzSeeds {
    /** Takes something of everything that the language has; small enough to be planned in a millisecond. */
    static final String MODEL = """
        remat 1
        layer Conv(x, channels: int, kernel: int = 3, act: layer = relu) {
          return conv2d(x, channels, kernel, padding = floordiv(kernel, 2), bias = false) |> batch_norm |> act
        }
        model M(width: int = 4, sizes: [(int, bool)] = [(4, true), (8, false)], drop: float = 0.1) {
          symbol B
          input images: f32[B, 3, 4, 4]
          input labels: i32[B]
          param scale: f32[width] = normal(std = 0.02)
          let half = width / 2
          layer Residual(x, f) { return x + f(x) }
          x = Conv(images, width) as stem
          for (n, wide) in sizes {
            if wide and n >= half { x = Residual(x, Conv(_, n)) } else { x = Conv(x, n, kernel = 1, act = gelu) }
          }
          recompute { x = dropout(x, drop) }
          segments 2 { repeat 2 { x = retain Residual(x, Conv(_, 8, 1)) } }
          a, b = split(global_avg_pool(x), 2, axis = -1)
          h, c = lstm_cell(a * scale, b, zeros([B, width]), width) as cell
          logits = linear(concat([h, c], axis = 1), 5) as head
          loss = cross_entropy(logits, labels, label_smoothing = 0.1) + 1e-4 * mean(head.weight ** 2)
          output logits
        }
        train {
          minimize loss
          optimizer sgd(lr = 0.1, momentum = 0.9, clip_norm = 1.0)
          schedule cosine(steps = 100, warmup = 10)
          precision f32
          seed 42
        }
        """;

    /** Reads text, and integers that pick. */
    static final String READER = """
        remat 1
        model Reader(width: int = 4) {
          symbol B, T
          input tokens: i32[B, T]
          input targets: i32[B, T]
          x = embedding(tokens, 256, width) as table
          x = x + dropout(linear(layer_norm(x), width) as mix |> gelu, 0.25)
          loss = cross_entropy(linear(x, 256) as out, targets)
        }
        train { minimize loss; optimizer adamw(lr = 1e-2); seed 3 }
        """;

    /** Says much about how it is trained. */
    static final String TRAINING = """
        remat 1
        model Training(rate: float = 0.01) {
          symbol B
          input x: f32[B, 3]
          input label: i32[B]
          h = x |> linear(4) as stem |> relu
          loss = cross_entropy(linear(h, 4) as head, label)
        }
        train {
          minimize loss
          optimizer adamw(lr = rate, betas = [0.9, 0.99], clip_norm = 1.0)
          schedule cosine(steps = 10, warmup = 2, min_lr = 1e-5)
          group "*.bias" { optimizer sgd(lr = 0.1, momentum = 0.9); schedule step(every = 3, gamma = 0.5) }
          freeze "stem.weight"
          average ema(decay = 0.9, warmup = true)
        }
        """;

    /** Reads arrays. */
    static final String ARRAYS = """
        remat 1
        model Arrays {
          input x: f32[2, 3]
          input label: i32[2]
          param w: f32[3, 4] = normal(std = 0.5)
          loss = cross_entropy(x @ w, label)
        }
        train { minimize loss; optimizer sgd(lr = 0.1) }
        """;

    static final String PROBLEM = """
        {"format":"remat-problem/1","name":"tiny","nodes":[
        {"id":"w","cost":0,"bytes":8,"resident":true},
        {"id":"a","cost":3,"results":[{"id":"x","bytes":4},{"id":"mean","bytes":1}],
        "inputs":["w"],"pin":"recompute"},
        {"id":"v","cost":0,"viewOf":"x","inputs":["x"]},
        {"id":"r","cost":1,"bytes":4,"inPlaceOf":"v","inputs":["v"],"workspaceBytes":7,"recomputable":false},
        {"id":"s","cost":2,"bytes":16,"inputs":["r"]},
        {"id":"ds","cost":2,"bytes":16,"inputs":["s"],"phase":"backward"},
        {"id":"dw","cost":5,"bytes":8,"inputs":["ds","r","x"],"phase":"backward"},
        {"id":"u","cost":1,"results":[],"inputs":["dw"],"phase":"update","writes":"w"}
        ],"outputs":["r"]}
        """;

    /** The second version, with what it alone has. */
    static final String TIERED = """
        {"format":"remat-problem/2","name":"tiered","nodes":[
        {"id":"w","cost":0,"bytes":64,"resident":true,"home":"host"},
        {"id":"m","cost":0,"bytes":64,"resident":true,"home":"disk","offloadable":true},
        {"id":"x","cost":7000,"bytes":128,"inputs":["w"],"pin":"offload"},
        {"id":"y","cost":9000,"results":[{"id":"p","bytes":64},{"id":"q","bytes":32}],"inputs":["x"]},
        {"id":"z","cost":5000,"bytes":96,"inputs":["p"],"offloadable":false},
        {"id":"dz","cost":4000,"bytes":128,"inputs":["z","q"],"phase":"backward"},
        {"id":"dx","cost":9000,"bytes":64,"inputs":["dz","x"],"phase":"backward"},
        {"id":"u","cost":1000,"results":[],"inputs":["dx","m"],"phase":"update","writes":["w","m"]}],
        "tiers":[{"name":"host","bytes":300,"storeBytesPerSecond":24000000,"fetchBytesPerSecond":20000000,
        "latencyNanos":100},{"name":"disk","bytes":4096,"storeBytesPerSecond":1000000,
        "fetchBytesPerSecond":2000000,"latencyNanos":900,"interferenceNanosPerMegabyte":5}],"outputs":["p"]}
        """;

    static final String BUFFERS =
            "id,lower,upper,size,alignment\na,0,4,64,8\nb,2,6,32,1\nc,3,9,128,64\nd,5,7,16,1\ne,0,9,8,8\n";

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern CODE = Pattern.compile("```remat([a-z ]*)\n(.*?)```", Pattern.DOTALL);

    private final Path folder;
    private final Map<String, SequencedMap<String, byte[]>> made = new LinkedHashMap<>();

    /** @param folder where remat may write */
    FuzzSeeds(Path folder) throws IOException {
        this.folder = folder;
        Files.writeString(folder.resolve("reader.model"), READER);
        Files.writeString(folder.resolve("arrays.model"), ARRAYS);
        Files.write(folder.resolve("text"), text());
    }

    /** Samples with sizes for {@code --set}, the examples of the documentation, and models that are odd already. */
    static List<List<String>> models() throws IOException {
        List<List<String>> models = new ArrayList<>(
                List.of(List.of(MODEL, "B=2"), List.of(READER, "B=2,T=3"), List.of(ARRAYS, ""), List.of(MODEL, "")));
        for (SampleModel sample : SampleModels.ALL) {
            models.add(List.of(Files.readString(sample.path()), sample.tiny()));
        }
        try (Stream<Path> odd = Files.list(ROOT.resolve("compiler/src/test/resources/diagnostics"))) {
            for (Path file : odd.sorted().toList()) {
                models.add(List.of(Files.readString(file).replaceAll(" *//~[^\n]*", ""), "B=2"));
            }
        }
        Matcher code = CODE.matcher(Files.readString(ROOT.resolve("docs/language.md")));
        while (code.find()) {
            String body = code.group(2);
            models.add(List.of(
                    code.group(1).contains("body")
                            ? "remat 1\nmodel M {\nsymbol B\ninput x: f32[B, 4]\n" + body
                                    + "\nloss = mean(x)\n}\ntrain { minimize loss; optimizer sgd(lr = 0.1) }\n"
                            : body,
                    "B=2"));
        }
        return models;
    }

    static byte[] text() {
        return "abcdefgh, ".repeat(30).getBytes(StandardCharsets.UTF_8);
    }

    /** Runs a command in the folder of the seeds, once, and gives the files of {@code result} by name. */
    SequencedMap<String, byte[]> made(String result, String... words) throws IOException {
        SequencedMap<String, byte[]> before = made.get(result);
        if (before != null) {
            return before;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        String[] placed = Arrays.stream(words)
                .map(word -> word.replace(FuzzInput.FOLDER, folder + "/"))
                .toArray(String[]::new);
        int exit = RematCommand.run(new Console(out, out, false, false), placed);
        if (exit != 0) {
            throw new IllegalStateException(
                    Arrays.toString(placed) + " gave " + exit + ": " + out.toString(StandardCharsets.UTF_8));
        }
        SequencedMap<String, byte[]> files = new LinkedHashMap<>();
        try (Stream<Path> found = Files.walk(folder.resolve(result))) {
            for (Path file : found.filter(Files::isRegularFile).sorted().toList()) {
                files.put(folder.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
        made.put(result, files);
        return files;
    }

    /** An artifact of {@link #ARRAYS} in the folder {@code artifact}. */
    SequencedMap<String, byte[]> artifact() throws IOException {
        return made("artifact", "build", "@/arrays.model", "--arch", "sm_90a", "-o", "@/artifact");
    }

    /** A checkpoint of {@link #READER} after one step, in the folder {@code trained}. */
    SequencedMap<String, byte[]> trained() throws IOException {
        return training("trained", "1", "--save");
    }

    /** What three steps of {@link #READER} log, in the folder {@code log}. */
    SequencedMap<String, byte[]> log() throws IOException {
        return training("log", "3", "--log");
    }

    private SequencedMap<String, byte[]> training(String result, String steps, String option) throws IOException {
        String folder = FuzzInput.FOLDER + result;
        return made(
                result,
                "train",
                "@/reader.model",
                "--set",
                "B=2,T=3",
                "--text",
                "@/text",
                "--steps",
                steps,
                option,
                folder);
    }

    /** A safetensors file, its parts given as header and bytes. */
    static byte[] safetensors(String header, byte[] data) {
        byte[] text = header.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(8 + text.length + data.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(text.length)
                .put(text)
                .put(data)
                .array();
    }

    /** Ten samples for {@link #ARRAYS}. */
    static byte[] arrays() {
        ByteBuffer data = ByteBuffer.allocate(160).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 30; i++) {
            data.putFloat(i * 0.1f);
        }
        for (int i = 0; i < 10; i++) {
            data.putInt(i % 4);
        }
        String header = "{\"x\":{\"dtype\":\"F32\",\"shape\":[10,3],\"data_offsets\":[0,120]},"
                + "\"label\":{\"dtype\":\"I32\",\"shape\":[10],\"data_offsets\":[120,160]}}";
        return safetensors(header, data.array());
    }

    /** One batch for {@link #ARRAYS}. */
    static byte[] batch() {
        ByteBuffer data = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 6; i++) {
            data.putFloat(i * 0.5f);
        }
        data.putInt(1).putInt(3);
        String header = "{\"__metadata__\":{\"by\":\"hand\"},"
                + "\"x\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                + "\"label\":{\"dtype\":\"I32\",\"shape\":[2],\"data_offsets\":[24,32]}}";
        return safetensors(header, data.array());
    }

    /** An array as NumPy writes it, version 1.0. */
    static byte[] npy(String description, byte[] data) {
        String padded = description + " ".repeat(63 - (description.length() + 10) % 64) + "\n";
        byte[] text = padded.getBytes(StandardCharsets.ISO_8859_1);
        return ByteBuffer.allocate(10 + text.length + data.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0})
                .putShort((short) text.length)
                .put(text)
                .put(data)
                .array();
    }
}
