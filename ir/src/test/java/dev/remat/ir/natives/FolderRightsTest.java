package dev.remat.ir.natives;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.natives.FolderRights.Folder;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FolderRightsTest {
    private static final int NOBODY = 65534;
    /** User 1000, alone in group 1000. */
    private static final FolderRights RIGHTS = new FolderRights(1000, Optional.of(1000), Optional.empty());

    /** Mode in octal digits: whether a folder is trusted itself, and around another. */
    @ParameterizedTest
    @CsvSource({
        "1000, 1000, 700, true, true",
        "1000, 50, 755, true, true",
        "0, 0, 755, true, true",
        "1000, 1000, 775, true, true",
        "1000, 50, 775, false, false",
        "0, 0, 775, false, false",
        "1000, 1000, 777, false, false",
        "0, 0, 1777, false, true",
        "1000, 50, 1770, false, true",
        "2000, 1000, 700, false, false",
        "2000, 2000, 1777, false, false",
        "65534, 65534, 755, false, false",
    })
    void trustsOwnAndRootsFoldersThatOthersDoNotWriteTo(
            int owner, int group, String mode, boolean trusted, boolean around) {
        Folder folder = new Folder(owner, group, Integer.parseInt(mode, 8));
        assertThat(RIGHTS.trust(folder)).isEqualTo(trusted);
        assertThat(RIGHTS.trustAround(folder)).isEqualTo(around);
    }

    /** As in a container that an ordinary user starts: root's folders appear as nobody's. */
    @Test
    void trustsTheMachineAroundAContainer() {
        FolderRights contained = new FolderRights(1000, Optional.empty(), Optional.of(NOBODY));
        Folder folder = new Folder(NOBODY, NOBODY, 0755);
        assertThat(contained.trustAround(folder)).isTrue();
        assertThat(contained.trust(folder)).isFalse();
        assertThat(contained.trustAround(new Folder(2000, NOBODY, 0755))).isFalse();
    }

    @Test
    void knowsUsersWhomAContainerDoesNotShow() {
        assertThat(FolderRights.isHidden(NOBODY, List.of("         0          0 4294967295")))
                .isFalse();
        assertThat(FolderRights.isHidden(NOBODY, List.of("0 1000 1", "1 100000 65536")))
                .isFalse();
        assertThat(FolderRights.isHidden(NOBODY, List.of("      1000       1000          1")))
                .isTrue();
    }

    /** What the system does not tell is no ground for trust. */
    @Test
    void trustsNobodyElseWhereFilesCannotBeRead() {
        assertThat(FolderRights.isHidden(NOBODY, List.of())).isFalse();
        assertThat(FolderRights.isAlone("me", "me", List.of())).isFalse();
    }

    @Test
    void knowsAGroupOfOneUser() {
        List<String> groups = List.of("root:x:0:", "me:x:1000:", "you:x:1001:you,me", "all:x:50:me");
        assertThat(FolderRights.isAlone("me", "me", groups)).isTrue();
        assertThat(FolderRights.isAlone("you", "you", groups)).isFalse();
        assertThat(FolderRights.isAlone("me", "all", groups)).isFalse();
    }
}
