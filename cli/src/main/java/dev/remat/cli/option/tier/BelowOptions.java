package dev.remat.cli.option.tier;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.CheckedOptions;
import dev.remat.cli.console.Console;
import dev.remat.cli.console.Excerpt;
import dev.remat.cli.console.Progress;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.CostModel;
import dev.remat.runtime.lane.DiskPlace;
import dev.remat.runtime.lane.HostPlace;
import dev.remat.runtime.lane.PlaceException;
import dev.remat.runtime.lane.Places;
import dev.remat.runtime.profile.MeasurePlace;
import dev.remat.runtime.profile.MeasurePlace.Rates;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** What memory lies below the arena, and what of a step may be moved there. */
public final class BelowOptions extends CheckedOptions {
    private static final String HOST = PlaceSize.HOST;
    private static final String DISK = "disk";
    /** What is left free of a disk unless a budget is given: a part, and at least so many bytes. */
    private static final long FREE_PART = 10;

    private static final long LEAST_FREE = 1L << 30;
    private static final long NANOS_PER_MICRO = 1000;

    @Option(
            names = "--disk",
            paramLabel = "DIR",
            description = "Let tensors wait on the disk of this folder while they are not needed, where that takes less"
                    + " time than computing them again (docs/tiers.md). Nothing stays in the folder.")
    private Path disk;

    @Option(
            names = "--disk-budget",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description =
                    "Bytes that they may take there. Without it, what is free but for a tenth and 1 GiB at least.")
    private Long diskBytes;

    @Option(
            names = "--disk-rates",
            paramLabel = LinkRates.FORM,
            converter = LinkRates.Converter.class,
            description = "How much a second is stored and fetched, how long each transfer takes beside, and what time"
                    + " kernels lose to what is moved, such as 1.5GB/s:2GB/s:80us:60ms/GB, so that the same is planned"
                    + " every time. The last two may be left out. Without it, all are measured.")
    private LinkRates diskRates;

    @Option(
            names = "--host-budget",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Let tensors of a GPU wait in so many bytes of the host's memory. A step on the CPU has its"
                    + " arena there, too: good for comparison alone.")
    private Long hostBytes;

    @Option(
            names = "--host-rates",
            paramLabel = LinkRates.FORM,
            converter = LinkRates.Converter.class,
            description = "The same as --disk-rates for --host-budget.")
    private LinkRates hostRates;

    @Option(
            names = "--offload",
            paramLabel = "WHAT",
            converter = MovableConverter.class,
            description = "What may be moved: auto, activations, state (parameters and the optimizer's), all or none."
                    + " Default: auto where --disk or --host-budget is given.")
    private Movable movable;

    /** What measures how fast the host stores and fetches, if that is not where the arena is. */
    private Optional<Supplier<Rates>> link = Optional.empty();

    /** Worked out once, since measuring takes time and gives other numbers every time. */
    private Optional<Below> below = Optional.empty();

    /** For picocli. */
    static final class MovableConverter implements ITypeConverter<Movable> {
        @Override
        public Movable convert(String text) {
            return Arrays.stream(Movable.values())
                    .filter(each -> each.toString().equals(text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("'" + Excerpt.of(text) + "' is not one of "
                            + Arrays.stream(Movable.values())
                                    .map(Movable::toString)
                                    .collect(Collectors.joining(", "))));
        }
    }

    /** Whether tensors may be moved anywhere. */
    public boolean isAsked() {
        return movable != Movable.NONE && (disk != null || hostBytes != null);
    }

    /** @throws ParameterException if an option lacks the one that it belongs to */
    public void check() {
        require(disk != null || diskBytes == null, "--disk-budget needs --disk DIR");
        require(disk != null || diskRates == null, "--disk-rates needs --disk DIR");
        require(hostBytes != null || hostRates == null, "--host-rates needs --host-budget SIZE");
        boolean places = disk != null || hostBytes != null;
        require(
                places || movable == null || movable == Movable.NONE,
                "--offload " + movable + " needs memory below the arena; --disk DIR names a folder for it");
    }

    /**
     * The step runs on a GPU.
     *
     * @throws ParameterException if tensors may be moved where it does not reach
     */
    public void demandReachOfGpus() {
        check();
        require(
                !isAsked() || disk == null,
                "--disk cannot be had here: what a GPU copies beside its kernels goes to memory of the host;"
                        + " --host-budget SIZE lets tensors wait there");
    }

    /** What does not run here runs on a GPU. */
    private void checkReach(boolean here) {
        check();
        if (!here) {
            demandReachOfGpus();
        }
    }

    /** Rates of the host are measured so from now on, wherever plans are made for. */
    public void measureHostBy(Supplier<Rates> measure) {
        link = Optional.of(measure);
    }

    /**
     * Finds out before all else whether the places can be had.
     *
     * @throws ParameterException if not
     */
    public void checkPlaces() {
        check();
        if (isAsked() && disk != null) {
            onDisk(() -> {
                new DiskPlace(disk, DiskPlace.BLOCK).close();
                return true;
            });
        }
    }

    /**
     * What lies below; tells what of it nobody has said.
     *
     * @param here whether the step would run on this machine, so that its rates can be measured
     */
    public Below below(boolean here, Console console) {
        checkReach(here);
        if (!isAsked()) {
            return Below.NOTHING;
        }
        if (below.isEmpty()) {
            List<Tier> tiers = new ArrayList<>();
            if (hostBytes != null) {
                tiers.add(host(here, console));
            }
            if (disk != null) {
                tiers.add(disk(here, console));
            }
            below = Optional.of(new Below(tiers, movable == null ? Movable.AUTO : movable));
        }
        return below.get();
    }

    /**
     * The same where plans are made by these costs.
     *
     * @throws ParameterException if they have no times
     */
    public Below below(boolean here, CostModel costs, Console console) {
        requireTimes(costs);
        return below(here, console);
    }

    /** @throws ParameterException if something may be moved, and costs have no times to compare that by */
    public void requireTimes(CostModel costs) {
        require(
                !isAsked() || costs.isTime(),
                "tensors are moved where that takes less time, and --costs " + costs.name()
                        + " has no times; without --costs they are estimated");
    }

    /** The same by other rates of the disk or, without one, of the host's memory. */
    Below at(LinkRates rates, boolean here, Console console) {
        checkReach(here);
        require(isAsked(), "--rates needs --disk DIR or --host-budget SIZE, to which the link leads");
        LinkRates given = disk != null ? diskRates : hostRates;
        require(given == null, (disk != null ? "--disk-rates" : "--host-rates") + " and --rates say the same");
        List<Tier> tiers = new ArrayList<>();
        if (disk == null) {
            tiers.add(rates.tier(HOST, hostBytes));
        } else {
            if (hostBytes != null) {
                tiers.add(host(here, console));
            }
            tiers.add(rates.tier(DISK, diskBytes != null ? diskBytes : spare()));
        }
        return new Below(tiers, movable == null ? Movable.AUTO : movable);
    }

    /** What is measured of each place now, whatever rates were given; none where nothing may be moved. */
    public SequencedMap<String, Rates> measure(Console console) {
        SequencedMap<String, Rates> measured = new LinkedHashMap<>();
        if (isAsked()) {
            try (Progress progress = new Progress(console)) {
                progress.tell("measuring lanes");
                if (hostBytes != null) {
                    measured.put(HOST, link.orElse(MeasurePlace::host).get());
                }
                if (disk != null) {
                    measured.put(DISK, onDisk(() -> MeasurePlace.disk(disk)));
                }
            }
        }
        return measured;
    }

    /** Where a plan that was made for what lies below finds it. */
    public Places places() {
        return size -> switch (size.name()) {
            case HOST -> new HostPlace(size.bytes());
            case DISK -> new DiskPlace(disk, size.bytes());
            default -> throw new PlaceException("there is no place called '" + size.name() + "'");
        };
    }

    /**
     * Says that a plan moves nothing though it may.
     *
     * @throws ParameterException if the user asked for more than what pays
     */
    public void nothingMoved(Console console) {
        require(
                movable != Movable.ACTIVATIONS && movable != Movable.STATE && movable != Movable.ALL,
                "--offload " + movable + " moves nothing here: "
                        + (movable != Movable.ACTIVATIONS
                                ? "parameters and the optimizer's state stay in the arena where they are small, and"
                                        + " where no tier holds them"
                                : "the step fits as it is, or recomputing takes less time; a smaller --budget may"
                                        + " change that")
                        + "; without --offload it may be so");
        console.note("nothing is moved: the step fits as it is, or recomputing takes less time");
    }

    private Tier host(boolean here, Console console) {
        boolean canMeasure = here || link.isPresent();
        require(
                canMeasure || hostRates != null,
                "--host-budget needs --host-rates where the step runs on another machine");
        LinkRates rates = hostRates != null ? hostRates : measured("memory", link.orElse(MeasurePlace::host), console);
        if (hostRates == null) {
            console.note("the host " + described(rates) + "; --host-rates " + rates + " plans the same again");
        }
        return rates.tier(HOST, hostBytes);
    }

    private Tier disk(boolean here, Console console) {
        require(here || diskRates != null, "--disk needs --disk-rates where the step runs on another machine");
        long bytes = diskBytes != null ? diskBytes : spare();
        LinkRates rates = diskRates != null
                ? diskRates
                : onDisk(() -> measured(disk.toString(), () -> MeasurePlace.disk(disk), console));
        String size = diskBytes != null ? "" : "gives " + ByteSize.format(bytes) + " of what is free";
        String speed = diskRates != null ? "" : described(rates);
        if (diskBytes == null || diskRates == null) {
            console.note(disk + " " + size + (size.isEmpty() || speed.isEmpty() ? "" : " and ") + speed
                    + "; --disk-budget " + bytes + " --disk-rates " + rates + " plans the same again");
        }
        return rates.tier(DISK, bytes);
    }

    /** What is free but for a reserve. */
    private long spare() {
        try {
            if (!Files.isDirectory(disk)) {
                throw new PlaceException("there is no folder " + disk);
            }
            long free = Files.getFileStore(disk).getUsableSpace();
            long spare = free - Math.max(LEAST_FREE, free / FREE_PART);
            require(
                    spare > 0,
                    "--disk: " + disk + " has " + ByteSize.format(free) + " free, of which "
                            + ByteSize.format(LEAST_FREE) + " are left; --disk-budget says how much may be taken");
            return spare;
        } catch (PlaceException e) {
            throw unusable(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static LinkRates measured(String what, Supplier<Rates> measure, Console console) {
        try (Progress progress = new Progress(console)) {
            progress.tell("measuring " + what);
            return LinkRates.measured(measure.get());
        }
    }

    private static String described(LinkRates rates) {
        return "stores " + ByteSize.format(rates.storeBytesPerSecond()) + "/s and fetches "
                + ByteSize.format(rates.fetchBytesPerSecond()) + "/s"
                + (rates.interferenceNanosPerMegabyte() == 0
                        ? ""
                        : ", beside which kernels lose " + rates.interferenceNanosPerMegabyte() / NANOS_PER_MICRO
                                + " us to a MB")
                + ", as measured";
    }

    private <T> T onDisk(Supplier<T> work) {
        try {
            return work.get();
        } catch (PlaceException e) {
            throw unusable(e);
        }
    }

    private ParameterException unusable(PlaceException e) {
        return misuse("--disk: " + e.getMessage() + "; 'doctor --disk DIR' tries a folder");
    }
}
