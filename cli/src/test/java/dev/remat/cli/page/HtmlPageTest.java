package dev.remat.cli.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class HtmlPageTest {
    private static final String HOSTILE = "</script><!--<script>&\"'\u2028 \ud83d\ude00";

    private static String page(String title, String value) {
        HtmlPage page = new HtmlPage(
                title, "table.js", Arrays.asList(PageLibrary.values()), out -> out.writeStringField("value", value));
        return new String(page.bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void theSameContentGivesTheSameBytes() {
        assertThat(page("a", "b")).isEqualTo(page("a", "b")).isNotEqualTo(page("a", "c"));
    }

    @Test
    void noTextLeavesItsElement() throws IOException {
        String plain = page("title", "value");
        String hostile = page(HOSTILE, HOSTILE);
        for (String mark : List.of("<script", "</script", "<!--", "</title")) {
            assertThat(hostile.split(mark, -1)).as(mark).hasSameSizeAs(plain.split(mark, -1));
        }
        assertThat(hostile)
                .contains("<title>&lt;/script&gt;&lt;!--&lt;script&gt;&amp;&quot;'\u2028 \ud83d\ude00</title>");
        Matcher data = Pattern.compile("id=\"data\">([A-Za-z0-9+/=]*)</script>").matcher(hostile);
        assertThat(data.find()).isTrue();
        try (InputStream in =
                new GZIPInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(data.group(1))))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("{\"value\":\"</script><!--<script>&\\\"'\u2028 \\uD83D\\uDE00\"}");
        }
    }

    /** What the policy of the page forbids anyway; a link to a licence's home is text. */
    @Test
    void nothingIsAskedOfANetwork() {
        String page = page("a", "b");
        assertThat(page).contains("default-src 'none'").doesNotContain("<link rel=\"stylesheet\"");
        assertThat(Pattern.compile("\\b(src|href)=\"?'?https?:").matcher(page).find())
                .isFalse();
    }

    @Test
    void librariesComeWithTheirLicences() {
        assertThat(page("a", "b"))
                .contains("d3 7.9.0\nCopyright 2010-2023 Mike Bostock")
                .contains("Permission to use, copy, modify")
                .contains("dagre 0.8.4\nCopyright (c) 2012-2014 Chris Pettitt")
                .contains("OpenJS Foundation");
    }

    @Test
    void everyModuleThatIsNeededIsThereUnderItsName() {
        Map<String, String> modules = PageModules.reachableFrom("table.js");
        assertThat(modules).containsOnlyKeys("table.js", "dom.js", "download.js", "format.js");
        assertThat(modules.get("table.js"))
                .contains("import { h, replace } from 'remat/dom.js';")
                .doesNotContain("from './");
        Matcher first = Pattern.compile("\"remat/dom.js\":\"data:text/javascript;base64,([^\"]*)\"")
                .matcher(PageModules.importMap(modules));
        assertThat(first.find()).isTrue();
        assertThat(new String(Base64.getDecoder().decode(first.group(1)), StandardCharsets.UTF_8))
                .isEqualTo(modules.get("dom.js") + "//# sourceURL=remat/dom.js\n");
    }
}
