package dev.remat.ir.artifact;

import com.fasterxml.jackson.core.JsonParser;
import dev.remat.ir.json.CorruptJsonException;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.json.JsonText;
import java.io.IOException;
import java.util.List;
import java.util.SequencedMap;
import java.util.regex.Pattern;

/** JSON to manifest: every field must be there, in the order in which {@link ManifestWriter} writes it. */
final class ManifestReader {
    private static final Pattern VERSION = Pattern.compile("[1-9][0-9]{0,8}");

    private final JsonCursor json;

    private ManifestReader(JsonCursor json) {
        this.json = json;
    }

    /** @throws CorruptJsonException if the text is no whole manifest of this version */
    static Manifest read(byte[] content) throws IOException {
        try (JsonParser parser = JsonText.parser(JsonText.FACTORY, content)) {
            return new ManifestReader(new JsonCursor(parser)).manifest();
        }
    }

    private Manifest manifest() throws IOException {
        json.beginObject();
        requireVersion(json.field("format").text());
        String remat = json.field("remat").text();
        String nvrtc = json.field("nvrtc").text();
        String model = json.field("model").text();
        String modelHash = json.field("modelHash").text();
        String planHash = json.field("planHash").text();
        String strategy = json.field("strategy").text();
        List<String> options = json.field("options").list(json::text);
        SequencedMap<String, String> settings = json.field("settings").texts();
        long arenaBytes = json.field("arenaBytes").unsigned();
        List<String> architectures = json.field("architectures").list(json::text);
        List<ArtifactKernel> kernels = json.field("kernels").list(this::kernel);
        List<ArtifactFile> files = json.field("files").list(this::file);
        json.endObject();
        json.end();
        return json.parsed(() -> new Manifest(
                new BuildInfo(remat, nvrtc, strategy, options, settings),
                model,
                modelHash,
                planHash,
                arenaBytes,
                architectures,
                kernels,
                files));
    }

    private void requireVersion(String format) {
        String version = format.startsWith(Manifest.FORMAT) ? format.substring(Manifest.FORMAT.length()) : "";
        if (!VERSION.matcher(version).matches()) {
            throw json.corrupt("\"" + format + "\" is no format of an artifact");
        }
        if (Integer.parseInt(version) > Manifest.VERSION) {
            throw new CorruptJsonException("is newer than this remat: it has format " + format
                    + ", and this remat reads up to " + Manifest.FORMAT + Manifest.VERSION
                    + "; use a newer remat, or build it again with this one");
        }
    }

    private ArtifactKernel kernel() throws IOException {
        json.beginObject();
        String symbol = json.field("symbol").text();
        String family = json.field("family").text();
        List<ParameterType> parameters = json.field("parameters").list(this::parameter);
        int threads = json.field("threads").index();
        boolean verified = json.field("verified").flag();
        String location = json.field("at").text();
        List<KernelCode> code = json.field("code").list(this::code);
        json.endObject();
        return json.parsed(() ->
                new ArtifactKernel(new KernelEntry(symbol, family, parameters, threads, verified, location), code));
    }

    private ParameterType parameter() throws IOException {
        String label = json.text();
        return json.parsed(() -> ParameterType.ofLabel(label));
    }

    private KernelCode code() throws IOException {
        json.beginObject();
        String architecture = json.field("architecture").text();
        int registers = json.field("registers").index();
        int barriers = json.field("barriers").index();
        int stackBytes = json.field("stackBytes").index();
        int spillStoreBytes = json.field("spillStoreBytes").index();
        int spillLoadBytes = json.field("spillLoadBytes").index();
        int sharedBytes = json.field("sharedBytes").index();
        int constantBytes = json.field("constantBytes").index();
        int launches = json.field("launches").index();
        Extent3 smallestGrid = extent("smallestGrid");
        Extent3 largestGrid = extent("largestGrid");
        Extent3 smallestBlock = extent("smallestBlock");
        Extent3 largestBlock = extent("largestBlock");
        int dynamicSharedBytes = json.field("dynamicSharedBytes").index();
        json.endObject();
        return json.parsed(() -> new KernelCode(
                architecture,
                new KernelUsage(
                        registers, barriers, stackBytes, spillStoreBytes, spillLoadBytes, sharedBytes, constantBytes),
                new LaunchUse(launches, smallestGrid, largestGrid, smallestBlock, largestBlock, dynamicSharedBytes)));
    }

    private Extent3 extent(String name) throws IOException {
        json.field(name).beginArray();
        int x = json.index();
        int y = json.index();
        int z = json.index();
        json.endArray();
        return json.parsed(() -> new Extent3(x, y, z));
    }

    private ArtifactFile file() throws IOException {
        json.beginObject();
        String name = json.field("name").text();
        long bytes = json.field("bytes").unsigned();
        String sha256 = json.field("sha256").text();
        json.endObject();
        return json.parsed(() -> new ArtifactFile(name, bytes, sha256));
    }
}
