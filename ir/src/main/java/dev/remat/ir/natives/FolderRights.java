package dev.remat.ir.natives;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Whose writes this user has to trust: their own, root's, those of a group that is theirs alone, and in a container
 * those of users whom it does not show.
 *
 * @param user who this process runs as
 * @param ownGroup the group in which there is nobody else; empty if there is none
 * @param hidden who all users appear as that a container does not show, root of the machine among them; empty where all
 *     are shown
 */
record FolderRights(int user, Optional<Integer> ownGroup, Optional<Integer> hidden) {
    private static final int ROOT = 0;
    private static final int GROUP_WRITES = 0020;
    private static final int OTHERS_WRITE = 0002;
    /** In such a folder only its owner, and who owns an entry, rename or delete that. */
    private static final int STICKY = 01000;

    private static final long ALL_MAPPED = 4_294_967_295L;

    /** What is known of a folder: its owner's and group's number, and its mode. */
    record Folder(int owner, int group, int mode) {
        static Folder of(Path path) throws IOException {
            return new Folder(
                    (int) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS),
                    (int) Files.getAttribute(path, "unix:gid", LinkOption.NOFOLLOW_LINKS),
                    (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS));
        }
    }

    /** @throws LibraryUnavailableException if the system does not tell them */
    static FolderRights ofProcess() {
        try {
            Path process = Path.of("/proc/self");
            PosixFileAttributes names = Files.readAttributes(process, PosixFileAttributes.class);
            int user = (int) Files.getAttribute(process, "unix:uid");
            int group = (int) Files.getAttribute(process, "unix:gid");
            boolean isAlone = user != ROOT
                    && isAlone(names.owner().getName(), names.group().getName(), lines("/etc/group"));
            Optional<Integer> hidden = lines("/proc/sys/kernel/overflowuid").stream()
                    .map(line -> Integer.parseInt(line.strip()))
                    .filter(other -> isHidden(other, lines("/proc/self/uid_map")))
                    .findFirst();
            return new FolderRights(user, isAlone ? Optional.of(group) : Optional.empty(), hidden);
        } catch (IOException e) {
            throw new LibraryUnavailableException("the system does not tell who runs this process: " + e, e);
        }
    }

    /** None of a file that cannot be read, after which nobody else is trusted. */
    private static List<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file));
        } catch (IOException e) {
            return List.of();
        }
    }

    /**
     * Many systems give each user a group of the same name, and let it write to all that the user creates.
     *
     * @param groups the lines of {@code /etc/group}: name, password, number, other members; none if that cannot be read
     */
    static boolean isAlone(String user, String group, List<String> groups) {
        return !groups.isEmpty()
                && user.equals(group)
                && groups.stream()
                        .map(line -> line.split(":", -1))
                        .filter(fields -> fields.length > 3 && fields[0].equals(group))
                        .flatMap(fields -> Arrays.stream(fields[3].split(",")))
                        .allMatch(member -> member.isEmpty() || member.equals(user));
    }

    /**
     * @param maps the lines of {@code uid_map}: first number inside, first outside, and how many; none if that
     *     cannot be read
     */
    static boolean isHidden(int other, List<String> maps) {
        return !maps.isEmpty()
                && maps.stream().map(line -> line.strip().split(" +")).noneMatch(map -> {
                    long first = Long.parseLong(map[0]);
                    long count = Long.parseLong(map[2]);
                    return count == ALL_MAPPED || first <= other && other < first + count;
                });
    }

    /** Whether a folder or file is this user's or root's, and nobody else can write to it. */
    boolean trust(Folder folder) {
        return owns(folder) && !isOpen(folder);
    }

    /** Whether nobody else can replace what lies in the folder and is trusted itself. */
    boolean trustAround(Folder folder) {
        boolean isMachines = hidden.isPresent() && hidden.get() == folder.owner();
        return (owns(folder) || isMachines) && (!isOpen(folder) || (folder.mode() & STICKY) != 0);
    }

    boolean owns(Folder folder) {
        return folder.owner() == ROOT || folder.owner() == user;
    }

    private boolean isOpen(Folder folder) {
        boolean forGroup = (folder.mode() & GROUP_WRITES) != 0;
        boolean isOwnGroup = ownGroup.isPresent() && ownGroup.get() == folder.group();
        return (folder.mode() & OTHERS_WRITE) != 0 || forGroup && !isOwnGroup;
    }
}
