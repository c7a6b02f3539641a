package dev.remat.runtime.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Where processes find each other that no library of a cluster joins.
 *
 * @param started who this process is
 * @param host of the first rank, or of the store
 * @param port that the first rank listens on, or the store
 * @param storeKey where the host and port are those of torchrun's store: under which name the first rank says in it
 *     where it listens
 * @param agents the numbers of the process that has started this one beside others, which launchers may have started
 *     in turn
 */
public record MeetingPlace(
        Started started, String host, int port, Optional<String> storeKey, Optional<Started> agents) {
    private static final List<String> TORCH = List.of("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT");
    private static final List<String> TOLD_BESIDE =
            List.of("LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE");

    /** Ports that neither systems nor their users take usually. */
    private static final int FIRST_PORT = 20_000;

    private static final int PORTS = 10_000;
    private static final int MOST_PORT = 65_535;

    /** @throws IllegalArgumentException if there is no such port */
    public MeetingPlace {
        if (port < 1 || port > MOST_PORT) {
            throw new IllegalArgumentException(port + " is no port");
        }
    }

    /**
     * Of torchrun, or of whoever sets the variables that it sets, and else of Slurm's {@code srun}; empty where none of
     * them, or one for this process alone, has started it.
     *
     * @param environment by name; null where a variable is not set
     * @throws IllegalArgumentException if variables contradict each other, are missing, or are no numbers
     */
    public static Optional<MeetingPlace> find(Function<String, String> environment) {
        Optional<MeetingPlace> torch = torch(environment);
        Optional<Started> slurm = Started.read(environment, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS");
        if (torch.isEmpty()) {
            return slurm.filter(step -> step.ranks() > 1).map(step -> slurm(environment, step));
        }
        slurm.filter(step -> !torch.get().mayBeStartedBy(step)).ifPresent(step -> {
            throw new IllegalArgumentException(torch.get().started().contradicts(step));
        });
        return torch.filter(place -> place.started().ranks() > 1);
    }

    /** Tells a process that is about to start who it is, as torchrun does. */
    public static void tell(Map<String, String> environment, int rank, int ranks, String host, int port) {
        environment.keySet().removeIf(name -> name.startsWith("TORCHELASTIC_") || TOLD_BESIDE.contains(name));
        environment.put("RANK", String.valueOf(rank));
        environment.put("WORLD_SIZE", String.valueOf(ranks));
        environment.put("MASTER_ADDR", host);
        environment.put("MASTER_PORT", String.valueOf(port));
    }

    /** Whether another launcher may have started this process, or the one that has started it. */
    public boolean mayBeStartedBy(Started other) {
        return other.ranks() == 1
                || started.agreesWith(other)
                || agents.filter(other::agreesWith).isPresent();
    }

    private static Optional<MeetingPlace> torch(Function<String, String> environment) {
        List<String> missing = new ArrayList<>(TORCH);
        missing.removeIf(name -> environment.apply(name) != null);
        // Each alone may be of something else; two of the first or more are meant.
        if (missing.contains("RANK") || missing.size() == TORCH.size() - 1) {
            return Optional.empty();
        }
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("RANK is set and " + String.join(" and ", missing)
                    + " not; torchrun sets " + String.join(", ", TORCH) + ", and so has who sets one of them");
        }
        Started started = Started.read(environment, "RANK", "WORLD_SIZE").orElseThrow();
        Started.read(environment, "LOCAL_RANK", "LOCAL_WORLD_SIZE")
                .filter(local -> local.rank() > started.rank() || local.ranks() > started.ranks())
                .ifPresent(local -> {
                    throw new IllegalArgumentException(local.told() + " contradict " + started.told());
                });
        return Optional.of(new MeetingPlace(
                started,
                environment.apply("MASTER_ADDR"),
                Started.number("MASTER_PORT", environment.apply("MASTER_PORT")),
                storeKey(environment),
                Started.read(environment, "GROUP_RANK", "GROUP_WORLD_SIZE")));
    }

    /** Another for each start, so that nobody finds who has been there before. */
    private static Optional<String> storeKey(Function<String, String> environment) {
        String shared = environment.apply("TORCHELASTIC_USE_AGENT_STORE");
        if (!"true".equalsIgnoreCase(shared)) {
            return Optional.empty();
        }
        return Optional.of("remat/" + environment.apply("TORCHELASTIC_RUN_ID") + "/"
                + environment.apply("TORCHELASTIC_RESTART_COUNT"));
    }

    private static MeetingPlace slurm(Function<String, String> environment, Started step) {
        String nodes = environment.apply("SLURM_STEP_NODELIST");
        if (nodes == null) {
            throw new IllegalArgumentException(
                    step.told() + " are set and SLURM_STEP_NODELIST not, which names the host of the first rank");
        }
        String host = Optional.ofNullable(environment.apply("MASTER_ADDR")).orElseGet(() -> firstOf(nodes));
        int port = Optional.ofNullable(environment.apply("MASTER_PORT"))
                .map(text -> Started.number("MASTER_PORT", text))
                .orElseGet(() -> portOf(environment.apply("SLURM_JOB_ID") + "." + environment.apply("SLURM_STEP_ID")));
        return new MeetingPlace(step, host, port, Optional.empty(), Optional.empty());
    }

    /** The first of a list such as {@code node[07-12,20],other}. */
    static String firstOf(String nodes) {
        int open = nodes.indexOf('[');
        int comma = nodes.indexOf(',');
        if (open < 0 || comma >= 0 && comma < open) {
            return comma < 0 ? nodes : nodes.substring(0, comma);
        }
        int close = nodes.indexOf(']', open);
        String first = nodes.substring(open + 1, close).split("[-,]")[0];
        int next = nodes.indexOf(',', close);
        return nodes.substring(0, open) + first + nodes.substring(close + 1, next < 0 ? nodes.length() : next);
    }

    private static int portOf(String step) {
        return FIRST_PORT + Math.floorMod(step.hashCode(), PORTS);
    }
}
