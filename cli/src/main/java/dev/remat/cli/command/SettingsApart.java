package dev.remat.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** {@code --set B=2 T=8}: settings that a space has torn apart. */
final class SettingsApart {
    private static final Pattern SETTING = Pattern.compile("[A-Za-z_]\\w*=.*", Pattern.DOTALL);

    private SettingsApart() {}

    /** What is likely meant, for words that stand behind a setting and look like one. */
    static Optional<String> meant(List<String> words) {
        for (int i = 0; i + 1 < words.size(); i++) {
            boolean apart = words.get(i).equals("--set")
                    && SETTING.matcher(words.get(i + 1)).matches();
            if (!apart) {
                continue;
            }
            List<String> settings = new ArrayList<>();
            for (int at = i + 1;
                    at < words.size() && SETTING.matcher(words.get(at)).matches();
                    at++) {
                settings.add(words.get(at).replaceAll("^,|,$", ""));
            }
            if (settings.size() > 1) {
                return Optional.of(
                        "settings are separated by commas without spaces: --set " + String.join(",", settings));
            }
        }
        return Optional.empty();
    }
}
