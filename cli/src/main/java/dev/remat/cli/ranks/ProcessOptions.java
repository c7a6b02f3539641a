package dev.remat.cli.ranks;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.cli.console.Console;
import dev.remat.cli.console.OneOf;
import dev.remat.cli.console.TypedWords;
import dev.remat.cli.option.CountingNumber;
import dev.remat.runtime.launch.MeetingPlace;
import dev.remat.runtime.launch.Started;
import dev.remat.runtime.mpi.MpiLauncher;
import dev.remat.runtime.mpi.MpiMessages;
import dev.remat.runtime.process.ProcessGrid;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.process.ProcessesApartException;
import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** How many ranks train together, and whether each is a process of its own. */
public final class ProcessOptions extends CheckedOptions {
    /** What moves bytes between processes. */
    enum Engine {
        MPI("mpi"),
        GLOO("gloo");

        private final String label;

        Engine(String label) {
            this.label = label;
        }

        @Override
        public String toString() {
            return label;
        }
    }

    /** For picocli. */
    static final class EngineConverter implements ITypeConverter<Engine> {
        @Override
        public Engine convert(String text) {
            return OneOf.of(Engine.values(), text);
        }
    }

    /** Which kernels libraries take. */
    enum Kernels {
        OWN,
        COMMON;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** For picocli. */
    static final class KernelsConverter implements ITypeConverter<Kernels> {
        @Override
        public Kernels convert(String text) {
            return OneOf.of(Kernels.values(), text);
        }
    }

    @Option(
            names = "--processes",
            description =
                    "Run each rank, or each of its --stages, as a process of its own on this machine, which mpirun"
                            + " starts, or remat itself for Gloo. What mpirun, srun or torchrun has started joins the"
                            + " others without it, on several machines too.")
    private boolean processes;

    @Option(
            names = "--restarts",
            paramLabel = "K",
            converter = CountingNumber.OfInt.class,
            description =
                    "With --processes: when a rank is lost, start all again from the last checkpoint, with as many"
                            + " ranks as are left and share the micro-batches evenly, K times at most. Default: 0.")
    private int restarts;

    @Option(
            names = "--rank",
            paramLabel = "R",
            description =
                    "Which of the processes this one is, from 0 on, where nothing that remat knows has started it:"
                            + " of --ranks W as many, with --stages S stage R/W of rank R mod W. All are given one"
                            + " --rendezvous.")
    private Integer rank;

    @Option(
            names = "--rendezvous",
            paramLabel = "HOST:PORT",
            description = "Where rank 0 listens for the others, on a port that is free.")
    private String rendezvous;

    @Option(
            names = "--transport",
            paramLabel = "mpi|gloo",
            converter = EngineConverter.class,
            description = "What moves bytes between processes. Default: mpi where mpirun or"
                    + " srun --mpi has started them, else gloo.")
    private Engine transport;

    @Option(
            names = "--join-timeout",
            paramLabel = "SECONDS",
            converter = CountingNumber.OfInt.class,
            defaultValue = "60",
            description = "How long ranks that Gloo joins wait for each other at the start. Default: 60.")
    private int joinTimeout;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            converter = CountingNumber.OfInt.class,
            description =
                    "After how long a rank counts as lost of which nothing is heard: it says each second that it is"
                            + " there. Default: 5.")
    private Integer timeout;

    @Option(
            names = "--interface",
            paramLabel = "NAME",
            description = "The network interface on which ranks listen for those on other machines, such as eth0."
                    + " Default: the loopback, so that all are on one.")
    private String network;

    @Option(
            names = "--kernels",
            paramLabel = "own|common",
            converter = KernelsConverter.class,
            description = "Which kernels libraries take: own, the best for the processor of each rank, so that all"
                    + " processors have to be alike; common, the best that all have, which may be slower."
                    + " Default: own.")
    private Kernels kernels;

    /** How this process was started beside others, if it was. */
    private Optional<Launch> launch(ProcessGrid asked) {
        try {
            return Launch.find(place(asked), System::getenv);
        } catch (IllegalArgumentException e) {
            throw misuse(e.getMessage());
        }
    }

    /** What options say of it. */
    private Optional<MeetingPlace> place(ProcessGrid asked) {
        require(rank == null || rendezvous != null, "--rank needs --rendezvous HOST:PORT, where rank 0 is found");
        if (rendezvous == null) {
            return Optional.empty();
        }
        int colon = rendezvous.lastIndexOf(':');
        require(colon > 0, "--rendezvous is HOST:PORT, not '" + rendezvous + "'");
        int port;
        try {
            port = Integer.parseUnsignedInt(rendezvous.substring(colon + 1));
        } catch (NumberFormatException e) {
            throw misuse("--rendezvous is HOST:PORT, and '" + rendezvous.substring(colon + 1) + "' is no port");
        }
        Started started = rank == null
                ? MpiLauncher.find(System::getenv)
                        .map(MpiLauncher::started)
                        .orElseThrow(() -> misuse("--rendezvous needs --rank R, which of the ranks this process is"))
                : asStarted(asked);
        String host = rendezvous.substring(0, colon);
        return Optional.of(new MeetingPlace(started, host, port, Optional.empty(), Optional.empty()));
    }

    private Started asStarted(ProcessGrid asked) {
        int count = asked.processes();
        require(count > 1, "--rank needs --ranks W, how many ranks there are");
        String all = named(asked);
        require(rank >= 0 && rank < count, "--rank " + rank + " is none of " + all + ", which count from 0");
        return new Started(rank, count, "--rank " + rank + " and " + all);
    }

    /** The options that say so. */
    private static String named(ProcessGrid asked) {
        return asked.stages() == 1
                ? "--ranks " + asked.ranks()
                : "--stages " + asked.stages() + (asked.ranks() == 1 ? "" : " and --ranks " + asked.ranks());
    }

    /**
     * Whether this process is to start others.
     *
     * @throws picocli.CommandLine.ParameterException if there is one rank, and no stages
     */
    public boolean starts(ProcessGrid asked) {
        boolean starts = processes && launch(asked).isEmpty();
        require(!starts || asked.processes() > 1, "--processes starts one for each rank; it needs --ranks W");
        require(
                processes || restarts == 0,
                "--restarts is for ranks that --processes starts; others are started again by what has started them");
        return starts;
    }

    private StartProcesses.Starter starter() {
        boolean byMpi = transport == null
                ? StartProcesses.launcher().isPresent() || GlooJars.find().isEmpty()
                : transport == Engine.MPI;
        return byMpi ? StartProcesses::byMpirun : StartProcesses::byGloo;
    }

    /** After which a rank that says nothing is lost. */
    private Duration silence() {
        require(timeout == null || timeout > 1, "--timeout is more than a second, in which each rank speaks once");
        return timeout == null ? ProcessGroup.SILENCE : Duration.ofSeconds(timeout);
    }

    /** Starts one for each stage of each rank, which ends when they have. */
    public StartProcesses.Ended start(ProcessGrid asked, TypedWords typed, TypedWords words, Console console)
            throws IOException {
        List<ProcessBuilder> each = starter().all(asked.processes(), StartProcesses.program(typed, words));
        return StartProcesses.run(asked, each, silence(), console);
    }

    /** How often all are started again, at most. */
    public int restarts() {
        return restarts;
    }

    /** @throws picocli.CommandLine.ParameterException if ranks are processes, and something cannot be done by these */
    public void refuse(String option, boolean given, ProcessGrid asked) {
        require(
                !given || !processes && launch(asked).isEmpty(),
                option + " runs in one process; leave --processes or what has started several away");
    }

    /**
     * Joins the processes that were started beside this one; empty where it is alone.
     *
     * @param asked the stages that the user asks for, and ranks; 1 where that is left to what has started them
     * @throws picocli.CommandLine.ParameterException if there are more or fewer than asked for, or they are not on one
     *     machine and nothing says how they reach each other
     * @throws dev.remat.ir.natives.LibraryUnavailableException if what joins them cannot be loaded
     * @throws dev.remat.runtime.process.RendezvousException if they do not come together
     */
    public Optional<ProcessGroup> join(ProcessGrid asked) throws IOException {
        Optional<Launch> launch = launch(asked);
        require(
                launch.isPresent() || kernels == null,
                "--kernels is for ranks that are processes, on machines whose processors may differ");
        require(
                launch.isPresent() || network == null && transport == null,
                (network == null ? "--transport" : "--interface")
                        + " is for ranks that mpirun, srun or torchrun has started, or --rank and --rendezvous name");
        if (launch.isEmpty()) {
            return Optional.empty();
        }
        Started started = launch.get().started();
        require(
                asked.ranks() == 1 ? started.ranks() % asked.stages() == 0 : started.ranks() == asked.processes(),
                contradiction(asked, started));
        Optional<NetworkInterface> named = named();
        Optional<String> witness = Optional.ofNullable(System.getenv(StartProcesses.WITNESS));
        ProcessGroup group = join(launch.get(), asked.stages(), named, witness);
        CommonKernels.impose(group, kernels == Kernels.COMMON);
        return Optional.of(group);
    }

    private static String contradiction(ProcessGrid asked, Started started) {
        String all = named(asked);
        if (asked.stages() == 1) {
            return all + " contradicts " + started.told() + ", which say that " + started.ranks()
                    + " processes were started";
        }
        return all
                + (asked.ranks() == 1
                        ? " takes as many processes for each rank"
                        : " take " + asked.processes() + " processes")
                + ", and " + started.told() + " say that " + started.ranks() + " were started";
    }

    private ProcessGroup join(Launch launch, int stages, Optional<NetworkInterface> named, Optional<String> witness)
            throws IOException {
        try {
            Optional<MpiLauncher> mpi = launch.mpi().filter(_ -> transport != Engine.GLOO);
            if (mpi.isPresent()) {
                return ProcessGroup.of(
                        MpiMessages.join(mpi.get()), stages, named, witness, Optional.empty(), silence());
            }
            return new JoinByGloo(place(launch), named, Duration.ofSeconds(joinTimeout), silence())
                    .join(stages, witness);
        } catch (ProcessesApartException e) {
            throw misuse(e.getMessage() + "; --interface names the network by which they reach each other, which has to"
                    + " be a private one");
        } catch (IllegalArgumentException e) {
            throw misuse(e.getMessage());
        }
    }

    private MeetingPlace place(Launch launch) {
        require(
                transport != Engine.MPI,
                "--transport mpi is for ranks that mpirun or srun --mpi has started, and these say "
                        + launch.started().told());
        return launch.place()
                .orElseThrow(() -> misuse("--transport gloo needs --rendezvous HOST:PORT, which "
                        + launch.started().told() + " do not tell"));
    }

    private Optional<NetworkInterface> named() {
        if (network == null) {
            return Optional.empty();
        }
        try {
            Optional<NetworkInterface> found = Optional.ofNullable(NetworkInterface.getByName(network));
            require(found.isPresent(), "there is no network interface '" + network + "'");
            return found;
        } catch (SocketException e) {
            throw misuse("network interfaces cannot be looked at: " + e.getMessage());
        }
    }
}
