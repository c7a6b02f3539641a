package dev.remat.cli.ranks;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.cli.option.CountingNumber;
import dev.remat.runtime.mpi.MpiLauncher;
import dev.remat.runtime.mpi.MpiMessages;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.process.ProcessesApartException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How many ranks train together, and whether each is a process of its own. */
public final class ProcessOptions extends CheckedOptions {
    @Option(
            names = "--processes",
            description = "Run each rank as a process of its own on this machine, which mpirun starts. What mpirun or"
                    + " srun --mpi has started itself joins the others without it, on several machines too.")
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
            names = "--interface",
            paramLabel = "NAME",
            description = "The network interface on which rank 0 listens for ranks on other machines, such as eth0."
                    + " Default: the loopback, so that all are on one.")
    private String network;

    /** The launcher that has started this process beside others, if one has. */
    private Optional<MpiLauncher> launcher() {
        try {
            return MpiLauncher.find(System::getenv);
        } catch (IllegalArgumentException e) {
            throw misuse(e.getMessage());
        }
    }

    /**
     * Whether this process is to start others.
     *
     * @throws picocli.CommandLine.ParameterException if there is one rank
     */
    public boolean starts(int ranks) {
        boolean starts = processes && launcher().isEmpty();
        require(!starts || ranks > 1, "--processes starts one for each rank; it needs --ranks W");
        require(
                processes || restarts == 0,
                "--restarts is for ranks that --processes starts; others are started again by what has started them");
        return starts;
    }

    /** How often all are started again, at most. */
    public int restarts() {
        return restarts;
    }

    /** @throws picocli.CommandLine.ParameterException if ranks are processes, and something cannot be done by these */
    public void refuse(String option, boolean given) {
        require(
                !given || !processes && launcher().isEmpty(),
                option + " runs in one process; leave --processes or mpirun away");
    }

    /**
     * Joins the processes that were started beside this one; empty where it is alone.
     *
     * @param ranks gets to know how many there are
     * @throws picocli.CommandLine.ParameterException if that is not the number asked for, or they are not on one
     *     machine and nothing says how they reach each other
     * @throws dev.remat.ir.natives.LibraryUnavailableException if the library of MPI cannot be loaded
     */
    public Optional<ProcessGroup> join(RankOptions ranks) {
        Optional<MpiLauncher> launcher = launcher();
        require(launcher.isPresent() || network == null, "--interface is for ranks that mpirun or srun has started");
        if (launcher.isEmpty()) {
            return Optional.empty();
        }
        ranks.started(launcher.get());
        Optional<NetworkInterface> named = named();
        try {
            return Optional.of(ProcessGroup.of(
                    MpiMessages.join(launcher.get()),
                    launcher.get().ranksHere(),
                    named,
                    Optional.ofNullable(System.getenv(StartProcesses.WITNESS))));
        } catch (ProcessesApartException e) {
            throw misuse(e.getMessage() + "; --interface names the network by which they reach rank 0, which has to be"
                    + " a private one");
        }
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
