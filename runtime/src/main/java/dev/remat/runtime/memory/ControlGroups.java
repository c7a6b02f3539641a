package dev.remat.runtime.memory;

import dev.remat.runtime.memory.MemoryLimit.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The control groups that this process is in, from its own to the outermost that it sees. */
final class ControlGroups {
    /** What version 1 tells of a group without a limit is about so much. */
    private static final long NO_LIMIT = 1L << 62;

    private final KernelFiles files;

    ControlGroups(KernelFiles files) {
        this.files = files;
    }

    /**
     * Names of files and fields.
     *
     * @param swapLimit of version 2 that of swap, of version 1 that of memory and swap together
     * @param cached what is given back when memory is needed
     */
    private record Version(
            String controller, String limit, String used, String swapLimit, String swapUsed, List<String> cached) {
        static final Version ONE = new Version(
                "memory",
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "memory.memsw.limit_in_bytes",
                "memory.memsw.usage_in_bytes",
                List.of("total_inactive_file", "total_active_file"));
        static final Version TWO = new Version(
                "",
                "memory.max",
                "memory.current",
                "memory.swap.max",
                "memory.swap.current",
                List.of("inactive_file", "active_file"));

        boolean isOne() {
            return !controller.isEmpty();
        }
    }

    /** @param swap what the machine has free of it, in bytes */
    List<MemoryLimit> limits(long swap) {
        List<MemoryLimit> limits = new ArrayList<>();
        for (Version version : List.of(Version.TWO, Version.ONE)) {
            Mount mount = mount(version);
            String group = mount.below(path(version));
            while (true) {
                add(version, mount.folder, group, swap, limits);
                if (group.isEmpty()) {
                    break;
                }
                group = group.substring(0, group.lastIndexOf('/'));
                // Without it, version 1 counts each group by itself.
                if (version.isOne()
                        && files.number(mount.folder + group + "/memory.use_hierarchy")
                                        .orElse(1)
                                == 0) {
                    break;
                }
            }
        }
        return limits;
    }

    private void add(Version version, String mount, String group, long machineSwap, List<MemoryLimit> limits) {
        String folder = mount + group + "/";
        OptionalLong limit = files.number(folder + version.limit);
        OptionalLong used = files.number(folder + version.used);
        if (limit.isEmpty() || limit.getAsLong() >= NO_LIMIT || used.isEmpty()) {
            return;
        }
        long cached = version.cached.stream()
                .mapToLong(field -> files.field(folder + "memory.stat", field).orElse(0))
                .sum();
        long free = Math.max(0, limit.getAsLong() - Math.max(0, used.getAsLong() - cached));
        long swap = Math.min(machineSwap, swapLeft(version, folder, limit.getAsLong() - used.getAsLong()));
        limits.add(new MemoryLimit(
                "the control group " + (group.isEmpty() ? "/" : group), Kind.RESIDENT, limit.getAsLong(), free, swap));
    }

    private long swapLeft(Version version, String folder, long memoryLeft) {
        OptionalLong limit = files.number(folder + version.swapLimit);
        OptionalLong used = files.number(folder + version.swapUsed);
        if (limit.isEmpty() || used.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long left = limit.getAsLong() - used.getAsLong();
        return Math.max(0, version.isOne() ? left - memoryLeft : left);
    }

    /** Where this process is, as the kernel names it. */
    private String path(Version version) {
        for (String line : files.lines("proc/self/cgroup")) {
            String[] fields = line.split(":", 3);
            if (fields.length == 3
                    && (version.isOne()
                            ? List.of(fields[1].split(",")).contains(version.controller)
                            : fields[0].equals("0"))) {
                return fields[2];
            }
        }
        return "/";
    }

    /**
     * Where groups are seen as folders.
     *
     * @param root the group that lies there
     * @param folder without the root of the file system, as {@link KernelFiles} wants it
     */
    private record Mount(String root, String folder) {
        /** The group's folder below this, empty for this itself: a container may not see where it is in truth. */
        String below(String path) {
            if (path.contains("/..")) {
                return "";
            }
            String below = root.equals("/") ? path : path.startsWith(root + "/") ? path.substring(root.length()) : "";
            return below.equals("/") ? "" : below;
        }
    }

    private Mount mount(Version version) {
        for (String line : files.lines("proc/self/mountinfo")) {
            String[] sides = line.split(" - ", 2);
            String[] left = sides[0].split(" ");
            String[] right = sides.length == 2 ? sides[1].split(" ") : new String[0];
            if (left.length > 4
                    && right.length > 2
                    && (version.isOne()
                            ? right[0].equals("cgroup")
                                    && List.of(right[2].split(",")).contains(version.controller)
                            : right[0].equals("cgroup2"))) {
                return new Mount(left[3], left[4].substring(1).replace("\\040", " "));
            }
        }
        return new Mount("/", version.isOne() ? "sys/fs/cgroup/memory" : "sys/fs/cgroup");
    }
}
