package dev.remat.cli.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.runtime.launch.MeetingPlace;
import dev.remat.runtime.launch.Started;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LaunchTest {
    private static final String[] MPI = {"PMI_RANK=1", "PMI_SIZE=2"};
    private static final String[] SAME = {"RANK=1", "WORLD_SIZE=2", "MASTER_ADDR=a", "MASTER_PORT=7"};
    private static final MeetingPlace ASKED =
            new MeetingPlace(new Started(1, 2, "--rank 1 and --ranks 2"), "a", 7, Optional.empty(), Optional.empty());

    private static Optional<Launch> find(Optional<MeetingPlace> asked, String[]... sets) {
        Map<String, String> environment = new HashMap<>();
        for (String[] variables : sets) {
            for (String variable : variables) {
                environment.put(variable.split("=")[0], variable.split("=")[1]);
            }
        }
        return Launch.find(asked, environment::get);
    }

    @Test
    void mpiJoinsWhatItsLauncherHasStarted() {
        Launch launch = find(Optional.empty(), MPI).orElseThrow();
        assertThat(launch.mpi()).isPresent();
        assertThat(launch.place()).isEmpty();
        assertThat(find(Optional.empty(), MPI, SAME).orElseThrow().mpi())
                .as("others say the same")
                .isPresent();
        assertThat(find(Optional.empty())).isEmpty();
    }

    @Test
    void whatTorchrunHasStartedNoMpiJoins() {
        assertThat(find(Optional.empty(), SAME).orElseThrow().mpi()).isEmpty();
        String[] agents = {"GROUP_RANK=1", "GROUP_WORLD_SIZE=2", "RANK=5", "WORLD_SIZE=8"};
        Launch below = find(Optional.empty(), MPI, SAME, agents).orElseThrow();
        assertThat(below.mpi()).as("which joins agents").isEmpty();
        assertThat(below.started().ranks()).isEqualTo(8);
    }

    @Test
    void optionsComeFirstAndMustAgree() {
        assertThat(find(Optional.of(ASKED), MPI).orElseThrow().mpi()).isEmpty();
        assertThat(find(Optional.of(ASKED), SAME).orElseThrow().place()).contains(ASKED);
        String[] other = {"PMI_RANK=0", "PMI_SIZE=2"};
        assertThatThrownBy(() -> find(Optional.of(ASKED), other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--rank 1 and --ranks 2 contradict PMI_RANK=0 and PMI_SIZE=2");
        assertThatThrownBy(() -> find(Optional.empty(), SAME, other))
                .hasMessageContaining("RANK=1 and WORLD_SIZE=2 contradict PMI_RANK=0");
        String[] torch = {"RANK=0", "WORLD_SIZE=2", "MASTER_ADDR=a", "MASTER_PORT=7"};
        assertThatThrownBy(() -> find(Optional.of(ASKED), torch))
                .hasMessageContaining("--rank 1 and --ranks 2 contradict RANK=0 and WORLD_SIZE=2");
    }
}
