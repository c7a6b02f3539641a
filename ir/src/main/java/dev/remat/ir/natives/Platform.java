package dev.remat.ir.natives;

/** What the native libraries are there for. */
public final class Platform {
    private static final String SYSTEM = "Linux";
    private static final String PROCESSOR = "amd64";

    private Platform() {}

    /** @throws LibraryUnavailableException if this process runs on anything but Linux on x86-64 */
    public static void check() {
        check(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    /** As {@link #check()}, of a platform as Java names it. */
    static void check(String system, String processor) {
        if (!system.equals(SYSTEM) || !processor.equals(PROCESSOR)) {
            throw new LibraryUnavailableException("remat runs on Linux on x86-64 only, and this is " + system + " on "
                    + processor + "; a virtual machine or container of that kind will do, it needs no GPU");
        }
    }

    /** For example {@code Linux on amd64}. */
    public static String name() {
        return System.getProperty("os.name") + " on " + System.getProperty("os.arch");
    }
}
