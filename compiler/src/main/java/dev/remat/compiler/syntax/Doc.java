package dev.remat.compiler.syntax;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Text that is laid out on one line where it fits and broken where it does not (Wadler, 1998). */
sealed interface Doc {
    record Text(String text) implements Doc {}

    record Line(String flat) implements Doc {}

    /** Text that is there only where the group around it is broken. */
    record WhenBroken(String text) implements Doc {}

    record Concat(List<Doc> parts) implements Doc {}

    /** Line ends inside are indented by one step more. */
    record Nest(Doc inner) implements Doc {}

    /** On one line as a whole, or broken at each of its own line ends. */
    record Group(Doc inner) implements Doc {}

    static Doc empty() {
        return new Text("");
    }

    /** A blank on one line, a line end where broken. */
    static Doc line() {
        return new Line(" ");
    }

    /** Nothing on one line, a line end where broken. */
    static Doc lineEnd() {
        return new Line("");
    }

    static Doc of(Object... parts) {
        List<Doc> docs = new ArrayList<>();
        for (Object part : parts) {
            docs.add(part instanceof Doc doc ? doc : new Text(part.toString()));
        }
        return new Concat(docs);
    }

    /** {@code open a, b, c close}, broken one element a line with a trailing comma. */
    static Doc list(String open, List<Doc> elements, String close) {
        if (elements.isEmpty()) {
            return new Text(open + close);
        }
        return new Group(of(
                open, new Nest(of(lineEnd(), join(elements, of(",", line())))), new WhenBroken(","), lineEnd(), close));
    }

    static Doc join(List<Doc> elements, Doc separator) {
        List<Doc> parts = new ArrayList<>();
        for (Doc element : elements) {
            if (!parts.isEmpty()) {
                parts.add(separator);
            }
            parts.add(element);
        }
        return new Concat(parts);
    }

    /**
     * The text, its first line starting at column {@code indent}.
     *
     * @param width columns that a line has if that is possible
     * @param step columns of one indentation
     */
    default String render(int indent, int width, int step) {
        StringBuilder out = new StringBuilder();
        int column = indent;
        Deque<Placed> work = new ArrayDeque<>();
        work.push(new Placed(this, indent, false));
        while (!work.isEmpty()) {
            Placed next = work.pop();
            switch (next.doc) {
                case Text text -> {
                    out.append(text.text);
                    column += text.text.length();
                }
                case WhenBroken text -> {
                    if (!next.flat) {
                        out.append(text.text);
                        column += text.text.length();
                    }
                }
                case Line line -> {
                    if (next.flat) {
                        out.append(line.flat);
                        column += line.flat.length();
                    } else {
                        out.append('\n').repeat(' ', next.indent);
                        column = next.indent;
                    }
                }
                case Concat concat -> pushAll(work, concat, next);
                case Nest nest -> work.push(new Placed(nest.inner, next.indent + step, next.flat));
                case Group group ->
                    work.push(
                            new Placed(group.inner, next.indent, next.flat || fits(group.inner, width - column, work)));
            }
        }
        return out.toString();
    }

    /** A document with the indentation and mode it is printed in. */
    record Placed(Doc doc, int indent, boolean flat) {}

    private static void pushAll(Deque<Placed> work, Concat concat, Placed mode) {
        for (Doc part : concat.parts.reversed()) {
            work.push(new Placed(part, mode.indent, mode.flat));
        }
    }

    /** Whether {@code doc} on one line, and what follows it up to the next possible line end, fits in {@code room}. */
    private static boolean fits(Doc doc, int room, Deque<Placed> following) {
        Deque<Placed> work = new ArrayDeque<>();
        work.push(new Placed(doc, 0, true));
        var rest = following.iterator();
        int left = room;
        while (left >= 0) {
            if (work.isEmpty()) {
                if (!rest.hasNext()) {
                    return true;
                }
                work.push(rest.next());
            }
            Placed next = work.pop();
            switch (next.doc) {
                case Text text -> left -= text.text.length();
                case WhenBroken text -> left -= next.flat ? 0 : text.text.length();
                case Line line -> {
                    if (!next.flat) {
                        return true;
                    }
                    left -= line.flat.length();
                }
                case Concat concat -> pushAll(work, concat, next);
                case Nest nest -> work.push(new Placed(nest.inner, next.indent, next.flat));
                case Group group -> work.push(new Placed(group.inner, next.indent, next.flat));
            }
        }
        return false;
    }
}
