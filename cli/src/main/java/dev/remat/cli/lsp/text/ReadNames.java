package dev.remat.cli.lsp.text;

import dev.remat.cli.lsp.text.Mention.Loop;
import dev.remat.cli.lsp.text.Mention.Role;
import dev.remat.cli.lsp.text.NameTable.Block;
import dev.remat.compiler.reference.LanguageReference;
import dev.remat.compiler.syntax.SourceToken;
import dev.remat.compiler.syntax.SourceToken.Kind;
import dev.remat.compiler.syntax.SourceTokens;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Finds the names of a text by its tokens. What is no statement is taken for an expression, so that none is lost. */
final class ReadNames {
    private static final List<String> BLOCKS = List.of("if", "else", "segments", "chunks", "recompute");
    private static final int NO_OFFSET = -1;

    private final String text;
    private final List<SourceToken> tokens;
    private final Scope file = new Scope(Scope.Kind.FILE, Optional.empty(), 0);
    private final List<Mention> mentions = new ArrayList<>();
    private final List<Scope> scopes = new ArrayList<>(List.of(file));
    private final List<Block> blocks = new ArrayList<>();
    private final List<SourceToken> includes = new ArrayList<>();
    private final List<Scope> trainings = new ArrayList<>();
    private Optional<Scope> model = Optional.empty();
    private Optional<Loop> loop = Optional.empty();
    private int at;

    private ReadNames(String text) {
        this.text = text;
        this.tokens = SourceTokens.statements(text);
    }

    static NameTable of(String text) {
        return new ReadNames(text).run();
    }

    private NameTable run() {
        while (at < tokens.size()) {
            declaration();
        }
        trainings.forEach(training -> model.ifPresent(training::setOuter));
        mentions.sort(Comparator.comparingInt(Mention::start));
        blocks.sort(Comparator.comparingInt(Block::start));
        return new NameTable(file, mentions, scopes, blocks, includes);
    }

    private void declaration() {
        if (is("remat")) {
            skipLine();
        } else if (is("include")) {
            at++;
            if (at < tokens.size() && tokens.get(at).is(Kind.STRING)) {
                includes.add(tokens.get(at));
            }
            skipLine();
        } else if (is("model")) {
            Scope scope = definition(Variable.Kind.MODEL, file, Scope.Kind.MODEL);
            model = model.or(() -> Optional.of(scope));
        } else if (is("train")) {
            int head = tokens.get(at++).start();
            Scope scope = scope(Scope.Kind.TRAIN, file, head);
            trainings.add(scope);
            settings(scope, head);
        } else {
            statement(file);
        }
    }

    private Scope scope(Scope.Kind kind, Scope outer, int start) {
        Scope scope = new Scope(kind, Optional.of(outer), start);
        scopes.add(scope);
        return scope;
    }

    private Scope definition(Variable.Kind kind, Scope outer, Scope.Kind scopeKind) {
        SourceToken word = tokens.get(at++);
        Scope body = scope(scopeKind, outer, word.end());
        if (isName()) {
            bind(outer, kind, word.end(), Optional.of(body));
        }
        Optional<Loop> around = loop;
        loop = Optional.empty();
        if (is("(")) {
            parameters(body, kind == Variable.Kind.MODEL ? Variable.Kind.HYPER_PARAMETER : Variable.Kind.PARAMETER);
        }
        while (at < tokens.size() && !is("{") && !isEnd()) {
            at++;
        }
        block(body, word.start());
        body.end(at == 0 ? 0 : tokens.get(at - 1).end());
        loop = around;
        return body;
    }

    private void parameters(Scope scope, Variable.Kind kind) {
        at++;
        while (at < tokens.size() && !is(")") && !is("{") && !is("}")) {
            if (isName()) {
                int start = tokens.get(at).start();
                Variable variable = bind(scope, kind, tokens.get(at).end(), Optional.empty());
                if (is(":")) {
                    at++;
                    type(scope);
                }
                if (is("=")) {
                    at++;
                    expression(scope, true);
                }
                String written =
                        text.substring(start, Math.max(start, tokens.get(at - 1).end()));
                scope.parameter(variable, written.replaceAll("\\s+", " "));
            } else {
                at++;
            }
        }
        if (is(")")) {
            at++;
        }
    }

    /** Brackets of a type hold extents, or types. */
    private void type(Scope scope) {
        int depth = 0;
        while (at < tokens.size() && !isEnd() && !is("{") && !is("}")) {
            if (depth == 0 && (is(",") || is("=") || is(")"))) {
                return;
            }
            depth += is("[") || is("(") ? 1 : is("]") || is(")") ? -1 : 0;
            if (isName()) {
                boolean known =
                        LanguageReference.dtypes().contains(tokens.get(at).text())
                                || LanguageReference.parameterTypes()
                                        .contains(tokens.get(at).text());
                mention(known || depth == 0 ? Role.TYPE : Role.READ, scope, Optional.empty(), "", false);
            }
            at++;
        }
    }

    private void block(Scope scope, int head) {
        if (!is("{")) {
            if (isEnd()) {
                at++;
            }
            return;
        }
        int start = tokens.get(at++).start();
        while (at < tokens.size() && !is("}") && !isDeclaration()) {
            statement(scope);
        }
        int end = at < tokens.size() ? tokens.get(at).start() : text.length();
        blocks.add(new Block(head, start, end));
        if (is("}")) {
            at++;
        }
    }

    /** What only a file has: the block before it was never closed. */
    private boolean isDeclaration() {
        return is("model") || is("train") || is("include");
    }

    private void statement(Scope scope) {
        SourceToken first = tokens.get(at);
        int before = at;
        boolean named = at + 1 < tokens.size() && tokens.get(at + 1).is(Kind.NAME);
        if (first.is(Kind.END)) {
            at++;
        } else if (named && (first.is("layer") || first.is("optimizer") && first.is(Kind.WORD))) {
            Variable.Kind kind = first.is("layer") ? Variable.Kind.LAYER : Variable.Kind.OPTIMIZER;
            definition(kind, scope, Scope.Kind.LAYER);
        } else if (first.is("symbol")) {
            at++;
            targets(scope, Variable.Kind.SYMBOL, NO_OFFSET);
        } else if (first.is("input") || first.is("param") || first.is("buffer")) {
            at++;
            if (isName()) {
                bind(scope, kind(first.text()), first.end(), Optional.empty());
            }
            type(scope);
            expression(scope, false);
        } else if (first.is("let")) {
            at++;
            targets(scope, Variable.Kind.LET, endOfStatement());
            expression(scope, false);
        } else if (first.is("for")) {
            loop(scope, first);
        } else if (first.is("repeat")) {
            at++;
            expression(scope, false);
            looped(scope, first);
        } else if (first.is(Kind.WORD) && BLOCKS.contains(first.text())) {
            at++;
            expression(scope, false);
            if (is("{")) {
                block(scope, first.start());
            }
        } else if (first.is("{")) {
            block(scope, first.start());
        } else if (first.is(Kind.NAME) && assigns() || first.is("(") && assigns()) {
            targets(scope, Variable.Kind.VALUE, endOfStatement());
            expression(scope, false);
        } else {
            expression(scope, false);
        }
        if (at == before) {
            at++;
        }
    }

    private static Variable.Kind kind(String word) {
        return switch (word) {
            case "input" -> Variable.Kind.INPUT;
            case "param" -> Variable.Kind.PARAM;
            default -> Variable.Kind.BUFFER;
        };
    }

    private void loop(Scope scope, SourceToken word) {
        at++;
        targets(scope, Variable.Kind.LOOP, NO_OFFSET);
        if (is("in")) {
            at++;
        }
        expression(scope, false);
        looped(scope, word);
    }

    private void looped(Scope scope, SourceToken word) {
        Optional<Loop> around = loop;
        Loop own = new Loop(word.start());
        loop = around.or(() -> Optional.of(own));
        block(scope, word.start());
        own.end = tokens.get(Math.min(at, tokens.size()) - 1).end();
        loop = around;
    }

    /** Names up to {@code =}, {@code in} or the end. */
    private void targets(Scope scope, Variable.Kind kind, int counts) {
        while (at < tokens.size() && !isEnd() && !is("=") && !is("in") && !is("{") && !is("}")) {
            if (isName()) {
                bind(scope, kind, counts == NO_OFFSET ? tokens.get(at).end() : counts, Optional.empty());
            } else {
                at++;
            }
        }
        if (is("=")) {
            at++;
        }
    }

    private boolean assigns() {
        int depth = 0;
        for (int i = at; i < tokens.size() && !tokens.get(i).is(Kind.END); i++) {
            SourceToken token = tokens.get(i);
            depth += token.is("(") || token.is("[") ? 1 : token.is(")") || token.is("]") ? -1 : 0;
            if (depth == 0 && token.is("=")) {
                return true;
            }
            if (token.is("{") || token.is("}")) {
                return false;
            }
        }
        return false;
    }

    private int endOfStatement() {
        int i = at;
        while (i < tokens.size()
                && !tokens.get(i).is(Kind.END)
                && !tokens.get(i).is("}")) {
            i++;
        }
        return i < tokens.size() ? tokens.get(i).start() : text.length();
    }

    private void settings(Scope scope, int head) {
        if (!is("{")) {
            skipLine();
            return;
        }
        int start = tokens.get(at++).start();
        while (at < tokens.size() && !is("}") && !isDeclaration() && !is("layer")) {
            if (isName()) {
                SourceToken setting = tokens.get(at);
                mention(Role.SETTING, scope, Optional.empty(), "", false);
                at++;
                if (isName() && !LanguageReference.choices(setting.text()).isEmpty()) {
                    expression(scope, false, setting.text());
                } else {
                    expression(scope, false);
                }
                if (is("{")) {
                    settings(scope, setting.start());
                }
            } else {
                at++;
            }
        }
        int end = at < tokens.size() ? tokens.get(at).start() : text.length();
        blocks.add(new Block(head, start, end));
        if (is("}")) {
            at++;
        }
        scope.end(at == 0 ? 0 : tokens.get(at - 1).end());
    }

    private void expression(Scope scope, boolean untilComma) {
        expression(scope, untilComma, "");
    }

    /** @param setting whose choice the first name is, if it is not empty */
    private void expression(Scope scope, boolean untilComma, String setting) {
        Deque<Optional<Mention>> brackets = new ArrayDeque<>();
        Optional<Mention> latest = Optional.empty();
        String choice = setting;
        SourceToken previous = null;
        for (; at < tokens.size(); at++) {
            SourceToken token = tokens.get(at);
            if (brackets.isEmpty() && (isEnd() || is("{") || is("}") || is(")") || is("]") || untilComma && is(","))) {
                return;
            }
            if (token.is("(") || token.is("[")) {
                brackets.push(token.is("(") ? latest : Optional.empty());
            } else if (token.is(")") || token.is("]")) {
                brackets.poll();
            }
            Optional<Mention> mentioned = Optional.empty();
            if (token.is(Kind.NAME) && !token.text().equals("_")) {
                boolean named = !brackets.isEmpty()
                        && brackets.element().isPresent()
                        && at + 1 < tokens.size()
                        && tokens.get(at + 1).is("=")
                        && previous != null
                        && (previous.is("(") || previous.is(","));
                boolean piped = previous != null && previous.is("|>");
                if (previous != null && previous.is(".")) {
                    mentioned = Optional.of(mention(Role.ATTRIBUTE, scope, latest, "", false));
                } else if (previous != null && previous.is("as")) {
                    bindHere(scope, Variable.Kind.CALL, token.end(), Optional.empty());
                } else if (named) {
                    mention(Role.ARGUMENT, scope, brackets.element(), "", false);
                } else {
                    mentioned = Optional.of(mention(
                            choice.isEmpty() ? Role.READ : Role.CHOICE, scope, Optional.empty(), choice, piped));
                }
                choice = "";
            }
            // A dot keeps the name before it, for what follows.
            latest = mentioned.isPresent() || !token.is(".") ? mentioned : latest;
            previous = token;
        }
    }

    private Variable bind(Scope scope, Variable.Kind kind, int counts, Optional<Scope> body) {
        Variable variable = bindHere(scope, kind, counts, body);
        at++;
        return variable;
    }

    private Variable bindHere(Scope scope, Variable.Kind kind, int counts, Optional<Scope> body) {
        SourceToken token = tokens.get(at);
        Mention mention = token.text().equals("_")
                ? new Mention("_", token.start(), token.end(), Role.BINDING, scope, loop, Optional.empty(), "", false)
                : mention(Role.BINDING, scope, Optional.empty(), "", false);
        return scope.bind(mention, kind, counts, body);
    }

    private Mention mention(Role role, Scope scope, Optional<Mention> of, String setting, boolean piped) {
        SourceToken token = tokens.get(at);
        Mention mention = new Mention(token.text(), token.start(), token.end(), role, scope, loop, of, setting, piped);
        mentions.add(mention);
        return mention;
    }

    private void skipLine() {
        while (at < tokens.size() && !isEnd()) {
            at++;
        }
        at++;
    }

    private boolean is(String signOrWord) {
        return at < tokens.size() && tokens.get(at).is(signOrWord);
    }

    private boolean isName() {
        return at < tokens.size() && tokens.get(at).is(Kind.NAME);
    }

    private boolean isEnd() {
        return at >= tokens.size() || tokens.get(at).is(Kind.END);
    }
}
