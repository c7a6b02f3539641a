/** Tokens of the model language; which line ends count is decided by LineEnds, not here. */
lexer grammar RematLexer;

channels { COMMENTS }

/** Names that ContextualWords takes for words where their statement can begin. */
tokens { BUFFER, CHUNKS, OPTIMIZER, STAGE }

REMAT: 'remat';
INCLUDE: 'include';
MODEL: 'model';
LAYER: 'layer';
TRAIN: 'train';
SYMBOL: 'symbol';
INPUT: 'input';
PARAM: 'param';
OUTPUT: 'output';
LET: 'let';
RETURN: 'return';
REPEAT: 'repeat';
FOR: 'for';
IN: 'in';
IF: 'if';
THEN: 'then';
ELSE: 'else';
AS: 'as';
RETAIN: 'retain';
RECOMPUTE: 'recompute';
SEGMENTS: 'segments';
OFFLOAD: 'offload';
AND: 'and';
OR: 'or';
NOT: 'not';
TRUE: 'true';
FALSE: 'false';

PIPE: '|>';
EQUAL: '==';
UNEQUAL: '!=';
AT_MOST: '<=';
AT_LEAST: '>=';
LESS: '<';
GREATER: '>';
ASSIGN: '=';
PLUS: '+';
MINUS: '-';
POWER: '**';
TIMES: '*';
DIVIDE: '/';
REMAINDER: '%';
MATMUL: '@';
COMMA: ',';
COLON: ':';
ELLIPSIS: '...';
DOT: '.';
LPAREN: '(';
RPAREN: ')';
LBRACKET: '[';
RBRACKET: ']';
LBRACE: '{';
RBRACE: '}';

FLOAT: DIGITS '.' DIGITS EXPONENT? | DIGITS EXPONENT;
INT: DIGITS;
NAME: [A-Za-z_] [A-Za-z_0-9]*;
STRING: '"' (~["\\\r\n] | '\\' ~[\r\n])* '"';
OPEN_STRING: '"' (~["\\\r\n] | '\\' ~[\r\n])* '\\'?;

COMMENT: '//' ~[\r\n]* -> channel(COMMENTS);
NEWLINE: '\r'? '\n' | '\r';
SEMICOLON: ';' -> type(NEWLINE);
BLANK: [ \t\u000C\uFEFF]+ -> skip;
STRAY: .;

fragment DIGITS: [0-9] [0-9_]*;
fragment EXPONENT: [eE] [+-]? [0-9]+;
