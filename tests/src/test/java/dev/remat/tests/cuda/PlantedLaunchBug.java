package dev.remat.tests.cuda;

import java.util.List;

/**
 * A mistake in what launches kernels, which a run on the tests' driver must show.
 *
 * @param name of the mistake
 * @param file the class of the runtime that has it, or {@link #STEP}
 * @param right words of the file, there once
 * @param wrong what stands in their place
 * @param trial that shows it
 */
record PlantedLaunchBug(String name, String file, String right, String wrong, Trial trial) {
    static final String STEP = "step.cc";

    /** Programs that pass as they are. */
    enum Trial {
        /** In C, reads and writes right behind steps that cut their batch and have state on the host. */
        UNDER_WAY,
        /** The same where a launch in the middle of a section is refused. */
        REFUSED,
        /** In C, a kernel with dynamic shared memory. */
        SHARED,
        /** The same in Java, on cards that have just enough, and a byte less. */
        JAVA_SHARED,
        /** In Java, a launch that is refused while tensors are moved. */
        JAVA_REFUSED,
        /** In Java, launches that throw while they are captured. */
        JAVA_CAPTURE
    }

    static final List<PlantedLaunchBug> ALL = List.of(
            new PlantedLaunchBug(
                    "rows_are_kept_over_those_of_a_step_under_way",
                    STEP,
                    "const void* rows) {\n    wait(step);\n",
                    "const void* rows) {\n",
                    Trial.UNDER_WAY),
            new PlantedLaunchBug(
                    "what_lies_below_is_copied_while_a_step_is_under_way",
                    STEP,
                    "const void* from, uint64_t bytes) {\n    wait(step);\n",
                    "const void* from, uint64_t bytes) {\n    (void)step;\n",
                    Trial.UNDER_WAY),
            new PlantedLaunchBug(
                    "copies_of_a_section_that_fails_are_not_joined",
                    STEP,
                    "    JoiningAnyway joining{step};\n",
                    "",
                    Trial.REFUSED),
            new PlantedLaunchBug(
                    "dynamic_shared_memory_is_not_asked_for",
                    STEP,
                    "if (shared[i] > 0) {",
                    "if (false) {",
                    Trial.SHARED),
            new PlantedLaunchBug(
                    "java_does_not_ask_for_dynamic_shared_memory",
                    "KernelModule",
                    "if (shared[k] > 0) {",
                    "if (shared[k] < 0) {",
                    Trial.JAVA_SHARED),
            new PlantedLaunchBug(
                    "java_counts_no_shared_memory_that_a_text_declares",
                    "CudaProgram",
                    "(long) declaredShared.get(launch.kernel()) + launch.sharedBytes();",
                    "launch.sharedBytes();",
                    Trial.JAVA_SHARED),
            new PlantedLaunchBug(
                    "java_does_not_join_copies_of_a_section_that_fails",
                    "CudaLanes",
                    "lastOfEach().forEach(last -> cuStreamWaitEvent(arena.context().stream(), last, 0));",
                    "",
                    Trial.JAVA_REFUSED),
            new PlantedLaunchBug(
                    "java_ends_captures_for_the_device_alone",
                    "CapturedLaunches",
                    "catch (RuntimeException | Error e)",
                    "catch (DeviceException e)",
                    Trial.JAVA_CAPTURE));

    /** The text of the file with the mistake. */
    String in(String text) {
        int at = text.indexOf(right);
        if (at < 0 || text.indexOf(right, at + 1) >= 0) {
            throw new IllegalStateException(file + " must have once: " + right);
        }
        return text.substring(0, at) + wrong + text.substring(at + right.length());
    }

    @Override
    public String toString() {
        return name;
    }
}
