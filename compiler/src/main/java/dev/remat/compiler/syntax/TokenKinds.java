package dev.remat.compiler.syntax;

import dev.remat.compiler.syntax.grammar.RematLexer;
import org.antlr.v4.runtime.misc.IntervalSet;

/** Token types by what they do in the grammar. */
final class TokenKinds {
    /** Words that start a statement or declaration and nothing else. */
    static final IntervalSet STATEMENT_WORDS = new IntervalSet(
            RematLexer.INCLUDE,
            RematLexer.MODEL,
            RematLexer.OPTIMIZER,
            RematLexer.TRAIN,
            RematLexer.SYMBOL,
            RematLexer.INPUT,
            RematLexer.PARAM,
            RematLexer.BUFFER,
            RematLexer.OUTPUT,
            RematLexer.LET,
            RematLexer.RETURN,
            RematLexer.REPEAT,
            RematLexer.FOR,
            RematLexer.SEGMENTS,
            RematLexer.CHUNKS,
            RematLexer.LAYER);

    /** Signs and words after which an expression goes on. */
    static final IntervalSet INFIX = new IntervalSet(
            RematLexer.PIPE,
            RematLexer.EQUAL,
            RematLexer.UNEQUAL,
            RematLexer.AT_MOST,
            RematLexer.AT_LEAST,
            RematLexer.LESS,
            RematLexer.GREATER,
            RematLexer.PLUS,
            RematLexer.MINUS,
            RematLexer.POWER,
            RematLexer.TIMES,
            RematLexer.DIVIDE,
            RematLexer.REMAINDER,
            RematLexer.MATMUL,
            RematLexer.AND,
            RematLexer.OR);

    /** Whatever else may follow a whole expression and make it longer. */
    static final IntervalSet POSTFIX =
            new IntervalSet(RematLexer.DOT, RematLexer.LPAREN, RematLexer.LBRACKET, RematLexer.AS);

    /** Tokens that can make a syntax tree one level deeper. */
    static final IntervalSet NESTING = new IntervalSet(INFIX)
            .or(new IntervalSet(
                    RematLexer.DOT,
                    RematLexer.AS,
                    RematLexer.NOT,
                    RematLexer.IF,
                    RematLexer.RETAIN,
                    RematLexer.RECOMPUTE,
                    RematLexer.OFFLOAD));

    /** Tokens that end no line: what follows belongs to the same statement. */
    static final IntervalSet OPEN_ENDED = new IntervalSet(INFIX)
            .or(new IntervalSet(
                    RematLexer.ASSIGN,
                    RematLexer.COMMA,
                    RematLexer.DOT,
                    RematLexer.COLON,
                    RematLexer.NOT,
                    RematLexer.THEN,
                    RematLexer.ELSE,
                    RematLexer.IN,
                    RematLexer.AS,
                    RematLexer.LBRACE,
                    RematLexer.LPAREN,
                    RematLexer.LBRACKET));

    /** Tokens that start no line: they belong to the statement of the line before. */
    static final IntervalSet CONTINUING =
            new IntervalSet(RematLexer.PIPE, RematLexer.THEN, RematLexer.ELSE, RematLexer.LBRACE);

    /** Tokens with which an expression can start. */
    static final IntervalSet EXPRESSION_STARTS = new IntervalSet(
            RematLexer.NAME,
            RematLexer.INT,
            RematLexer.FLOAT,
            RematLexer.STRING,
            RematLexer.TRUE,
            RematLexer.FALSE,
            RematLexer.MINUS,
            RematLexer.NOT,
            RematLexer.IF,
            RematLexer.RETAIN,
            RematLexer.RECOMPUTE,
            RematLexer.OFFLOAD,
            RematLexer.LPAREN,
            RematLexer.LBRACKET);

    private TokenKinds() {}
}
