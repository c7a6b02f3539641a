package dev.remat.cli.lsp;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** As much of TextMate's grammars as ours uses: patterns in order, the leftmost match wins, line by line. */
final class TextMateGrammar {
    private record Rule(String name, Pattern match, Pattern end, List<Rule> inner, List<Capture> captures) {}

    private record Capture(int group, String name) {}

    private final List<Rule> rules;

    TextMateGrammar(String json) {
        rules = rules(JsonParser.parseString(json).getAsJsonObject());
    }

    private static List<Rule> rules(JsonObject of) {
        List<Rule> rules = new ArrayList<>();
        if (of.has("patterns")) {
            for (JsonElement each : of.getAsJsonArray("patterns")) {
                JsonObject rule = each.getAsJsonObject();
                String name = rule.has("name") ? rule.get("name").getAsString() : "";
                boolean spans = rule.has("begin");
                List<Capture> captures = new ArrayList<>();
                if (rule.has("captures")) {
                    for (Map.Entry<String, JsonElement> capture :
                            rule.getAsJsonObject("captures").entrySet()) {
                        captures.add(new Capture(
                                Integer.parseInt(capture.getKey()),
                                capture.getValue().getAsJsonObject().get("name").getAsString()));
                    }
                }
                rules.add(new Rule(
                        name,
                        Pattern.compile(rule.get(spans ? "begin" : "match").getAsString()),
                        spans ? Pattern.compile(rule.get("end").getAsString()) : null,
                        rules(rule),
                        captures));
            }
        }
        return rules;
    }

    /** The innermost scope of every character; empty where there is none. */
    List<String> scopes(String text) {
        List<String> scopes = new ArrayList<>();
        for (String line : text.split("(?<=\n)")) {
            scopes.addAll(line(line));
        }
        return scopes;
    }

    private List<String> line(String line) {
        String[] scopes = new String[line.length()];
        Arrays.fill(scopes, "");
        int content = line.endsWith("\n") ? line.length() - 1 : line.length();
        String text = line.substring(0, content);
        int at = 0;
        while (at < text.length()) {
            Rule best = null;
            Matcher found = null;
            for (Rule rule : rules) {
                Matcher matcher = matcher(rule.match, text, at);
                if (matcher.find()
                        && matcher.end() > matcher.start()
                        && (found == null || matcher.start() < found.start())) {
                    best = rule;
                    found = matcher;
                }
            }
            if (best == null) {
                break;
            }
            int end = best.end == null ? found.end() : span(best, text, found.end());
            for (int i = found.start(); i < end; i++) {
                scopes[i] = best.name;
            }
            for (Capture capture : best.captures) {
                for (int i = found.start(capture.group); i < found.end(capture.group); i++) {
                    scopes[i] = capture.name;
                }
            }
            at = end;
        }
        return List.of(scopes);
    }

    private static int span(Rule rule, String text, int from) {
        int at = from;
        while (true) {
            Matcher end = matcher(rule.end, text, at);
            if (!end.find()) {
                return text.length();
            }
            int next = end.end();
            int start = end.start();
            boolean inner = false;
            for (Rule each : rule.inner) {
                Matcher matcher = matcher(each.match, text, at);
                if (matcher.find() && matcher.start() < start) {
                    start = matcher.start();
                    next = matcher.end();
                    inner = true;
                }
            }
            if (!inner) {
                return next;
            }
            at = next;
        }
    }

    private static Matcher matcher(Pattern pattern, String text, int from) {
        return pattern.matcher(text)
                .useAnchoringBounds(false)
                .useTransparentBounds(true)
                .region(from, text.length());
    }
}
