/** Grammar of the model language; docs/language.md explains it with examples. */
parser grammar RematParser;

options { tokenVocab = RematLexer; }

file: REMAT INT NEWLINE (declaration NEWLINE)* EOF;

/** A value that is given from outside of any file. */
value: expressions NEWLINE EOF;

declaration
    : INCLUDE STRING                                        # include
    | MODEL NAME parameters? block                          # model
    | layerDefinition                                       # layer
    | OPTIMIZER NAME parameters block                       # optimizer
    | TRAIN settings                                        # train
    ;

settings: LBRACE (setting NEWLINE)* RBRACE;

setting: NAME expressions? settings?;

layerDefinition: LAYER NAME parameters block;

parameters: LPAREN (parameter (COMMA parameter)* COMMA?)? RPAREN;

parameter: NAME (COLON parameterType)? (ASSIGN expression)?;

parameterType
    : (NAME | LAYER)                                        # namedType
    | LBRACKET parameterType RBRACKET                       # listType
    | LPAREN parameterType (COMMA parameterType)+ COMMA? RPAREN # tupleType
    ;

tensorType: NAME (LBRACKET (expression (COMMA expression)* COMMA?)? RBRACKET)?;

block: LBRACE (statement NEWLINE)* RBRACE;

statement
    : SYMBOL names                                          # symbols
    | INPUT NAME COLON tensorType                           # input
    | OUTPUT names                                          # output
    | PARAM NAME COLON tensorType ASSIGN expression         # param
    | BUFFER NAME COLON tensorType (ASSIGN expression)?     # buffer
    | layerDefinition                                       # nestedLayer
    | LET targets ASSIGN expressions                        # let
    | targets ASSIGN expressions                            # assign
    | RETURN expressions                                    # return
    | REPEAT expression block                               # repeat
    | FOR targets IN expression block                       # for
    | IF expression block (ELSE IF expression block)* (ELSE block)? # if
    | (RETAIN | OFFLOAD) names                              # pinnedNames
    | RECOMPUTE block                                       # recompute
    | SEGMENTS expression block                             # segments
    | CHUNKS expression block                               # chunks
    | STAGE                                                 # stage
    ;

names: NAME (COMMA NAME)*;

targets: target (COMMA target)*;

target: NAME | LPAREN target (COMMA target)* COMMA? RPAREN;

expressions: expression (COMMA expression)*;

expression
    : expression DOT NAME                                   # attribute
    | expression LPAREN (argument (COMMA argument)* COMMA?)? RPAREN # call
    | expression LBRACKET subscript (COMMA subscript)* COMMA? RBRACKET # index
    | expression AS (NAME | STRING)                         # named
    | (RETAIN | RECOMPUTE | OFFLOAD) expression             # pinned
    | <assoc = right> expression POWER expression           # binary
    | MINUS expression                                      # unary
    | expression (TIMES | DIVIDE | REMAINDER | MATMUL) expression # binary
    | expression (PLUS | MINUS) expression                  # binary
    | expression (EQUAL | UNEQUAL | LESS | AT_MOST | GREATER | AT_LEAST) expression # binary
    | NOT expression                                        # unary
    | expression AND expression                             # binary
    | expression OR expression                              # binary
    | expression PIPE expression                            # binary
    | IF expression THEN expression ELSE expression         # conditional
    | LPAREN expression RPAREN                              # group
    | LPAREN expression COMMA (expression (COMMA expression)* COMMA?)? RPAREN # tuple
    | LBRACKET (expression (COMMA expression)* COMMA?)? RBRACKET # list
    | NAME                                                  # name
    | INT                                                   # int
    | FLOAT                                                 # float
    | STRING                                                # string
    | (TRUE | FALSE)                                        # bool
    ;

argument: (NAME ASSIGN)? expression;

subscript
    : expression                                            # place
    | first = expression? COLON end = expression? (COLON step = expression?)? # range
    | ELLIPSIS                                              # rest
    ;
