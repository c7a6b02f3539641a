package dev.remat.runtime.text;

import dev.remat.runtime.text.PreTokenizer.Word;
import dev.remat.runtime.text.pattern.SplitPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** What becomes of the delimiters that part a text. */
enum Delimiters {
    REMOVED("Removed"),
    ISOLATED("Isolated"),
    MERGED_WITH_PREVIOUS("MergedWithPrevious"),
    MERGED_WITH_NEXT("MergedWithNext"),
    /** Those side by side are one word, and so is what lies between. */
    CONTIGUOUS("Contiguous");

    private final String written;

    Delimiters(String written) {
        this.written = written;
    }

    private record Span(int begin, int end, boolean isDelimiter) {}

    static Delimiters read(JsonPart part) {
        for (Delimiters delimiters : values()) {
            if (delimiters.written.equals(part.text())) {
                return delimiters;
            }
        }
        throw part.wrong(
                "is '" + part.text() + "', not Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
    }

    /** @param invert whether matches are the words, and what lies between is the delimiters */
    void split(Word word, SplitPattern pattern, boolean invert, BiConsumer<String, Boolean> words) {
        String text = word.text();
        if (this == ISOLATED) {
            pattern.split(
                    text, (begin, end, _) -> words.accept(text.substring(begin, end), word.isFirst() && begin == 0));
            return;
        }
        List<Span> spans = new ArrayList<>();
        pattern.split(text, (begin, end, isMatch) -> add(spans, new Span(begin, end, isMatch != invert)));
        for (Span span : spans) {
            if (this != REMOVED || !span.isDelimiter) {
                words.accept(text.substring(span.begin, span.end), word.isFirst() && span.begin == 0);
            }
        }
    }

    /** With the one before, where they are one word. */
    private void add(List<Span> spans, Span span) {
        boolean joins = !spans.isEmpty()
                && switch (this) {
                    case REMOVED, ISOLATED -> false;
                    case MERGED_WITH_PREVIOUS -> span.isDelimiter && !spans.getLast().isDelimiter;
                    case MERGED_WITH_NEXT -> !span.isDelimiter && spans.getLast().isDelimiter;
                    case CONTIGUOUS -> span.isDelimiter == spans.getLast().isDelimiter;
                };
        if (joins) {
            Span before = spans.removeLast();
            boolean isDelimiter = this == CONTIGUOUS ? span.isDelimiter : this == MERGED_WITH_PREVIOUS;
            spans.add(new Span(before.begin, span.end, isDelimiter));
        } else {
            spans.add(span);
        }
    }
}
