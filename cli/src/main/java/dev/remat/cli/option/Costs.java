package dev.remat.cli.option;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.Card;
import dev.remat.compiler.error.Suggestion;
import dev.remat.ir.io.ReadableFile;
import dev.remat.ir.target.CorruptCostsException;
import dev.remat.ir.target.CostFile;
import dev.remat.ir.target.CostFileJson;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.Link;
import dev.remat.ir.target.ProfileCost;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.ir.target.UnitCost;
import dev.remat.runtime.io.CorruptFileException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What {@code --costs} may be given: the name of a cost model, or a file. */
final class Costs {
    private static final String UNIT = "unit";
    private static final String ROOFLINE = "roofline";
    private static final String PREFIX = ROOFLINE + ":";
    /** Bytes that a file has at most: about a hundred thousand kernels. */
    private static final int LARGEST = 1 << 26;

    private Costs() {}

    /** Names as users write them; that of a target means its usual device. */
    static List<String> names() {
        List<String> names = new ArrayList<>(List.of(UNIT, ROOFLINE));
        devices().forEach(device -> names.add(PREFIX + device));
        return names;
    }

    private static List<String> devices() {
        List<String> devices = new ArrayList<>(List.of(Target.cpu().name()));
        devices.addAll(Card.ratedLabels());
        devices.addAll(Architecture.labels());
        return devices;
    }

    /**
     * The cost model that a user asked for.
     *
     * @param target what is planned for; its device is that of {@code roofline} alone
     * @throws IllegalArgumentException if it is neither a name nor a file, or measured for another target
     * @throws CorruptFileException if the file holds neither a profile nor a device
     */
    static CostModel of(String text, TargetModel target) throws IOException {
        if (text.equals(UNIT)) {
            return new UnitCost();
        }
        if (text.equals(ROOFLINE)) {
            return new RooflineCost(target.device());
        }
        if (text.startsWith(PREFIX)) {
            return new RooflineCost(device(text, text.substring(PREFIX.length())));
        }
        Path path = file(text, text);
        return switch (read(path)) {
            case CostFile.Device(DeviceSpec device) -> new RooflineCost(device);
            case CostFile.Profile(var profile, var _) -> {
                if (!profile.target().equals(target.name())) {
                    throw new IllegalArgumentException(
                            path + (profile.predictor().isPresent() ? " was predicted for " : " was measured for ")
                                    + profile.target() + ", not for " + target.name() + "; " + PREFIX + path
                                    + " takes its device's rates alone");
                }
                yield new ProfileCost(path.getFileName().toString(), profile);
            }
        };
    }

    /**
     * What joins ranks, where it is a file that says so.
     *
     * @throws CorruptFileException if the file is none of costs
     */
    static Optional<Link> link(String text) throws IOException {
        Optional<Path> file = file(text).filter(path -> path.toString().equals(text));
        return file.isEmpty() ? Optional.empty() : read(file.get()).link();
    }

    private static DeviceSpec device(String text, String name) throws IOException {
        if (name.equals(Target.cpu().name())) {
            return Target.cpu().device();
        }
        Optional<DeviceSpec> known = Card.ofLabel(name)
                .flatMap(Card::device)
                .or(() -> Architecture.ofLabel(name).map(Architecture::device));
        return known.isPresent() ? known.get() : read(file(text, name)).device();
    }

    /** The file that is meant; empty if none is. */
    static Optional<Path> file(String text) {
        if (names().contains(text)) {
            return Optional.empty();
        }
        try {
            return Optional.of(file(text, text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private static Path file(String text, String name) {
        boolean looksLikeOne = name.contains("/") || name.contains(".");
        try {
            Path path = Path.of(name);
            if (!name.isEmpty() && (looksLikeOne || Files.exists(path))) {
                return path;
            }
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("'" + name + "' is no file name", e);
        }
        String nearest = Suggestion.note(text, names()).map(note -> "; " + note).orElse("");
        throw new IllegalArgumentException("unknown cost model '" + text + "'" + nearest + " (cost models: "
                + String.join(", ", names()) + ", or a file)");
    }

    private static CostFile read(Path path) throws IOException {
        ReadableFile.checkStream(path);
        try (InputStream in = Files.newInputStream(path)) {
            byte[] content = in.readNBytes(LARGEST + 1);
            if (content.length > LARGEST) {
                throw new CorruptFileException(path, "has more than " + LARGEST + " bytes");
            }
            return CostFileJson.read(content);
        } catch (CorruptCostsException e) {
            throw new CorruptFileException(path, e.getMessage(), e);
        }
    }
}
