package dev.remat.runtime.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MeetingPlaceTest {
    private static final String[] TORCHRUN = {
        "RANK=5",
        "WORLD_SIZE=8",
        "LOCAL_RANK=1",
        "LOCAL_WORLD_SIZE=4",
        "GROUP_RANK=1",
        "GROUP_WORLD_SIZE=2",
        "MASTER_ADDR=node1",
        "MASTER_PORT=29500",
        "TORCHELASTIC_RUN_ID=job",
        "TORCHELASTIC_RESTART_COUNT=2",
        "TORCHELASTIC_USE_AGENT_STORE=True"
    };
    private static final String[] SLURM = {
        "SLURM_PROCID=3",
        "SLURM_NTASKS=16",
        "SLURM_STEP_NUM_TASKS=4",
        "SLURM_STEP_NODELIST=node[07-08]",
        "SLURM_JOB_ID=123",
        "SLURM_STEP_ID=0"
    };

    private static Optional<MeetingPlace> find(String[] set, String... more) {
        Map<String, String> environment = new HashMap<>();
        for (String[] variables : new String[][] {set, more}) {
            for (String variable : variables) {
                String[] parts = variable.split("=", 2);
                environment.put(parts[0], parts[1].isEmpty() ? null : parts[1]);
            }
        }
        return MeetingPlace.find(environment::get);
    }

    @Test
    void torchrunTellsWhereItsStoreIs() {
        MeetingPlace place = find(TORCHRUN).orElseThrow();
        assertThat(place.started().rank()).isEqualTo(5);
        assertThat(place.started().ranks()).isEqualTo(8);
        assertThat(place.host()).isEqualTo("node1");
        assertThat(place.port()).isEqualTo(29500);
        assertThat(place.storeKey()).contains("remat/job/2");
    }

    @Test
    void withoutAStoreThePortIsTheFirstRanks() {
        assertThat(find(TORCHRUN, "TORCHELASTIC_USE_AGENT_STORE=False")
                        .orElseThrow()
                        .storeKey())
                .isEmpty();
        MeetingPlace byHand = find(new String[] {"RANK=1", "WORLD_SIZE=2", "MASTER_ADDR=a", "MASTER_PORT=7"})
                .orElseThrow();
        assertThat(byHand.storeKey()).isEmpty();
        assertThat(byHand.port()).isEqualTo(7);
    }

    @Test
    void slurmNamesTheFirstNode() {
        MeetingPlace place = find(SLURM).orElseThrow();
        assertThat(place.started().rank()).isEqualTo(3);
        assertThat(place.started().ranks()).as("of the step, not of the job").isEqualTo(4);
        assertThat(place.host()).isEqualTo("node07");
        assertThat(place.port()).isBetween(20_000, 29_999);
        assertThat(find(SLURM, "SLURM_STEP_ID=1").orElseThrow().port())
                .as("of another step")
                .isNotEqualTo(place.port());
        MeetingPlace said = find(SLURM, "MASTER_ADDR=other", "MASTER_PORT=4000").orElseThrow();
        assertThat(said.host() + ":" + said.port()).isEqualTo("other:4000");
    }

    @Test
    void theFirstOfAList() {
        assertThat(MeetingPlace.firstOf("a")).isEqualTo("a");
        assertThat(MeetingPlace.firstOf("a,b[1-2]")).isEqualTo("a");
        assertThat(MeetingPlace.firstOf("b[3,5-7],a")).isEqualTo("b3");
        assertThat(MeetingPlace.firstOf("rack[2-3]x,a")).isEqualTo("rack2x");
    }

    @Test
    void oneProcessIsAlone() {
        assertThat(find(new String[0])).isEmpty();
        assertThat(find(TORCHRUN, "RANK=0", "WORLD_SIZE=1", "LOCAL_RANK=0", "LOCAL_WORLD_SIZE=1"))
                .isEmpty();
        assertThat(find(SLURM, "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1")).isEmpty();
        assertThat(find(SLURM, "SLURM_STEP_NUM_TASKS="))
                .as("a batch script has the others, too")
                .isEmpty();
        assertThat(find(new String[] {"RANK=3"})).as("of something else").isEmpty();
        assertThat(find(new String[] {"MASTER_ADDR=a", "MASTER_PORT=7", "WORLD_SIZE=4"}))
                .as("what scripts of Slurm set")
                .isEmpty();
    }

    @Test
    void srunMayHaveStartedTorchrun() {
        String[] step = {"SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=2", "SLURM_STEP_NODELIST=a,b"};
        assertThat(find(TORCHRUN, step).orElseThrow().started().ranks()).isEqualTo(8);
        assertThatThrownBy(() -> find(TORCHRUN, "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=2"))
                .hasMessageContainingAll("RANK=5 and WORLD_SIZE=8 contradict SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=2");
    }

    @Test
    void contradictionsNameTheVariables() {
        assertThatThrownBy(() -> find(TORCHRUN, "RANK=8"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("RANK=8 and WORLD_SIZE=8 contradict each other");
        assertThatThrownBy(() -> find(TORCHRUN, "LOCAL_RANK=3", "RANK=2"))
                .hasMessageContaining("LOCAL_RANK=3 and LOCAL_WORLD_SIZE=4 contradict RANK=2 and WORLD_SIZE=8");
        assertThatThrownBy(() -> find(TORCHRUN, "MASTER_PORT=")).hasMessageContaining("MASTER_PORT not");
        assertThatThrownBy(() -> find(TORCHRUN, "MASTER_PORT=x")).hasMessageContaining("MASTER_PORT is 'x'");
        assertThatThrownBy(() -> find(TORCHRUN, "MASTER_PORT=70000")).hasMessageContaining("70000 is no port");
        assertThatThrownBy(() -> find(SLURM, "SLURM_STEP_NODELIST=")).hasMessageContaining("SLURM_STEP_NODELIST");
    }

    /** What one tells, the other finds. */
    @Test
    void toldRanksFindThePlace() {
        Map<String, String> environment = new HashMap<>();
        for (String variable : TORCHRUN) {
            environment.put(variable.split("=")[0], variable.split("=")[1]);
        }
        MeetingPlace.tell(environment, 2, 3, "localhost", 999);
        MeetingPlace found = MeetingPlace.find(environment::get).orElseThrow();
        assertThat(found.started().rank()).isEqualTo(2);
        assertThat(found.started().ranks()).isEqualTo(3);
        assertThat(found.storeKey()).isEmpty();
        assertThat(found.host() + ":" + found.port()).isEqualTo("localhost:999");
    }
}
